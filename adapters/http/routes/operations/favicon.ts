/** The icon of the service in a browser: a pin on a blue square, 32 x 32 pixels, drawn for this project. */

const BASE64 = [
  "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAACVBMVEUAAAASTnj///+EiwIZAAAAA3RSTlMA//9EUNYhAAAAZklE",
  "QVR42mNgEA0FghAGBsZQMHBgYIUwAiAyIDk4A0hkrQQSQEbYqlVTwYyoVauWghlZq1atRGWsWhq1CsKYGkaYAVOMaQ7cCriloatW",
  "QZwBdw+CEbUUnRE2FYWB6S+4l+GBAAsWAMnaYYYZGnXWAAAAAElFTkSuQmCC",
].join("")

/** A PNG. */
export const FAVICON: Uint8Array = Uint8Array.from(atob(BASE64), letter => letter.charCodeAt(0))
