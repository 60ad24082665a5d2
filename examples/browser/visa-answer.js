/**
 * A custom element for any page: `<visa-answer passport="FRA" destination="JPN"></visa-answer>`.
 *
 * It updates when an attribute changes. Style its text by the attribute `requirement`, which it sets.
 */
import { lookup } from "../../dist/index.js"

class VisaAnswer extends HTMLElement {
  static observedAttributes = ["passport", "destination", "on"]

  connectedCallback() {
    this.#show()
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#show()
  }

  #show() {
    const [passport, destination, on] = VisaAnswer.observedAttributes.map(name => this.getAttribute(name))
    const answer = on === null ? lookup(passport, destination) : lookup(passport, destination, { on })
    const isFound = answer.kind === "found"
    this.setAttribute("requirement", isFound ? answer.requirement : "unknown")
    this.textContent = isFound ? answer.requirement.replaceAll("_", " ") : answer.message
  }
}

customElements.define("visa-answer", VisaAnswer)
