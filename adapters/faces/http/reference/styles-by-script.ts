/**
 * How does the program of the reference set its styles, where the page's policy allows no styles in the markup?
 *
 * It makes style elements and style attributes from text, which `'unsafe-inline'` would have to permit; with that, markup that
 * somebody brings into the page could draw over it. What a script sets in style objects no policy refuses. So this runs before the
 * program and turns the one into the other: the text of a style element into a sheet that the document adopts, a style attribute
 * into the element's style.
 */
export const STYLES_BY_SCRIPT = `(() => {
  const sheets = new WeakMap()
  const adopt = element => {
    let sheet = sheets.get(element)
    if (sheet === undefined) {
      sheet = new CSSStyleSheet()
      sheets.set(element, sheet)
      document.adoptedStyleSheets.push(sheet)
    }
    sheet.replaceSync(element.textContent ?? "")
    return sheet
  }
  const createElement = Document.prototype.createElement
  Document.prototype.createElement = function (name, ...options) {
    if (String(name).toLowerCase() !== "style") return createElement.call(this, name, ...options)
    const element = createElement.call(this, "landfall-style")
    element.hidden = true
    Object.defineProperty(element, "sheet", { get: () => sheets.get(element) ?? adopt(element) })
    new MutationObserver(() => adopt(element)).observe(element, { childList: true, characterData: true, subtree: true })
    return element
  }
  const setAttribute = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style" && this.style !== undefined) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
  const HELD = "data-held-style"
  const innerHTML = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML")
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...innerHTML,
    set(markup) {
      innerHTML.set.call(this, String(markup).replace(/(<[^>]*?\\s)style=/gi, "$1" + HELD + "="))
      for (const element of (this.content ?? this).querySelectorAll("[" + HELD + "]")) {
        element.style.cssText = element.getAttribute(HELD)
        element.removeAttribute(HELD)
      }
    },
  })
})()`
