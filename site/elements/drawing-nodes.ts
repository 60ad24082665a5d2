/** Makes nodes of HTML and SVG from texts and other nodes; no text can become markup. */

/** The content of a node; null for none. */
export type Content = Node | string | null

const SVG = "http://www.w3.org/2000/svg"

function fill<Made extends Element>(
  made: Made,
  attributes: Readonly<Record<string, string>>,
  content: readonly Content[],
) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  made.append(...content.filter(each => each !== null))
  return made
}

/** Makes an element of HTML. */
export const html = (name: string, attributes: Readonly<Record<string, string>>, ...content: readonly Content[]) =>
  fill(document.createElement(name), attributes, content)

/** Makes an element of SVG. */
export const svg = (name: string, attributes: Readonly<Record<string, string>>, ...content: readonly Content[]) =>
  fill(document.createElementNS(SVG, name), attributes, content)
