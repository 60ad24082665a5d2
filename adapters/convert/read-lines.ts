/** How is a file of text read in lines, or a file of JSON in its entries, without holding all of it? */
import { Unconvertible } from "./report.ts"

/** More than any line of a calendar or a list has. */
const MOST_LINE = 64 * 1024
/** More than any visit of a history has. */
const MOST_ENTRY = 1024 * 1024
/** No export is nested deeper. */
const MOST_DEPTH = 64

/** A line of a file, numbered from 1. */
export interface Line {
  readonly text: string
  readonly line: number
}

/** Reads lines, whatever ends them. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder("utf-8")
  let [rest, line] = ["", 0]
  const cut = function* (isEnd: boolean): Generator<Line> {
    const parts = rest.split(/\r\n|\n|\r(?!$)/)
    rest = isEnd ? "" : (parts.pop() ?? "")
    for (const text of parts) {
      line++
      if (text.length > MOST_LINE) throw tooLong(line)
      if (text.includes("\uFFFD"))
        throw new Unconvertible(`line ${line}, column ${text.indexOf("\uFFFD") + 1}: this is not text in UTF-8.`)
      yield { text, line }
    }
    if (rest.length > MOST_LINE) throw tooLong(line + 1)
  }
  for await (const chunk of input) {
    rest += decoder.decode(chunk, { stream: true })
    yield* cut(false)
  }
  rest += decoder.decode()
  yield* cut(true)
}

const tooLong = (line: number) =>
  new Unconvertible(`line ${line}: it is longer than 64 KiB, which no line of such a file is.`)

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE, LINE_FEED] = [34, 92, 91, 93, 123, 125, 10]

/** An object in a list of a file of JSON, with the name of the list. */
export interface Entry {
  readonly list: string
  readonly value: unknown
  readonly line: number
}

/** Reads the objects of the lists at the top of a file of JSON, one at a time: those of the file's own list, or those of each list of its object. */
export async function* readEntries(input: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  let [depth, line, startLine, list, text] = [0, 1, 1, "", ""]
  let [isText, isEscaped, isOwnList, hasBegun] = [false, false, false, false]
  let entry: number[] = []
  let isEntry = false
  for await (const chunk of input) {
    for (const byte of chunk) {
      if (byte === LINE_FEED) line++
      if (isEntry) {
        entry.push(byte)
        if (entry.length > MOST_ENTRY) throw new Unconvertible(`line ${startLine}: an entry is larger than 1 MiB.`)
      }
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
        else if (!isEntry && text.length < 64) text += String.fromCharCode(byte)
        continue
      }
      if (byte === QUOTE) {
        isText = true
        if (!isEntry) text = ""
      } else if (byte === OPEN || byte === OPEN_LIST) {
        if (!hasBegun) {
          isOwnList = byte === OPEN_LIST
          hasBegun = true
        }
        if (!isEntry && byte === OPEN_LIST && depth === 1 && !isOwnList) list = text
        if (!isEntry && byte === OPEN && depth === (isOwnList ? 1 : 2)) {
          isEntry = true
          entry = [byte]
          startLine = line
        }
        if (++depth > MOST_DEPTH)
          throw new Unconvertible(`line ${line}: it is nested more than ${MOST_DEPTH} times, which no export is.`)
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth--
        if (depth < 0) throw new Unconvertible(`line ${line}: a bracket is closed that was not opened.`)
        if (isEntry && depth === (isOwnList ? 1 : 2)) {
          isEntry = false
          yield { list, value: parseEntry(Uint8Array.from(entry), startLine), line: startLine }
          entry = []
        }
      } else if (!hasBegun && byte > 32 && byte < 128) {
        throw new Unconvertible(`line ${line}: JSON is expected, which begins with { or [.`)
      }
    }
  }
  if (!hasBegun || depth !== 0 || isText) throw new Unconvertible(`line ${line}: the file ends before its JSON does.`)
}

function parseEntry(bytes: Uint8Array, line: number): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new Unconvertible(`line ${line}: the entry is not JSON: ${(cause as Error).message}.`)
  }
}
