/** Gives the reader a text or a picture as a file. */
export function download(name: string, type: string, content: string | Blob): void {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  // The browser has read it by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
