/** The script of the page: it shows the buttons that copy a text, where the browser can copy, and says when it is done. */
export const SCRIPT = `if (navigator.clipboard)
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent
    button.hidden = false
    button.setAttribute("aria-live", "polite")
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(button.dataset.copy).then(() => {
        button.textContent = button.dataset.done
        button.addEventListener("blur", () => (button.textContent = label), { once: true })
      }),
    )
  }
`
