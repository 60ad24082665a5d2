import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readSpotsFile } from "../../adapters/spots/read-file.ts"
import type { Spot } from "../../adapters/spots/spot.ts"

const DAY = "2026-11-21"
const feature = (properties: object, coordinates: unknown = [2.5, 48.5]) => ({
  type: "Feature",
  geometry: { type: "Point", coordinates },
  properties,
})
const collection = (...features: unknown[]) => JSON.stringify({ type: "FeatureCollection", features }, null, 1)
const whole = { id: "a-spot", title: "A spot", country_code: "FR" }
const issuesOf = (text: string) => {
  const read = readSpotsFile(text, DAY)
  return read.ok ? [] : read.issues.map(({ line, field, message }) => `${line} ${field}: ${message}`)
}

describe("a GeoJSON file", () => {
  it("returns its points as spots, with missing fields unknown", () => {
    expect(readSpotsFile(collection(feature({ ...whole, colour: "red" })), DAY)).toEqual({
      ok: true,
      passedOver: ["colour"],
      spots: [
        {
          id: "a-spot",
          title: "A spot",
          description: "",
          latitude: 48.5,
          longitude: 2.5,
          category: null,
          tags: [],
          country_code: "FR",
          photos: [],
          avg_rating: 0,
          review_count: 0,
          source: null,
          created_at: DAY,
          verified_on: null,
        },
      ],
    })
  })

  it("may call a title a name and carry the id beside the properties; an id that is left out comes from the title", () => {
    const text = collection(
      { ...feature({ name: "Église Saint-Ouen", country: "FR" }), id: 7 },
      feature({ name: "Église Saint-Ouen", country: "FR" }, [1, 2, 300]),
    )
    const read = readSpotsFile(text, DAY)
    expect(read.ok && read.spots.map(({ id, title }) => [id, title])).toEqual([
      ["7", "Église Saint-Ouen"],
      ["eglise-saint-ouen", "Église Saint-Ouen"],
    ])
  })

  it("names the line on which the spot of each mistake begins", () => {
    const text = `{ "type": "FeatureCollection", "name": "features [{",
 "features": [
  {"type": "Feature", "geometry": {"type": "Point", "coordinates": [181, 5]}, "properties": {"title": "A \\" [", "country_code": "FR"}},
  17,
  {"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}, "properties": {}},

  {"type": "Feature",
   "geometry": {"type": "Point", "coordinates": [1, 2]},
   "properties": {"title": "", "country_code": "fr", "avg_rating": 3}},
  {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"id": "b", "title": "B", "country_code": "FR"}},
  {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"id": "b", "title": "B", "country_code": "FR"}}
]}`
    expect(issuesOf(text)).toEqual([
      "4 type: A feature is expected.",
      "5 geometry: A point with longitude and latitude is expected.",
      "3 longitude: a number from -180 to 180 is expected, not 181.",
      "7 id: is missing, and the title gives none.",
      "7 title: is missing.",
      '7 country_code: an ISO 3166-1 alpha-2 code in capital letters, such as JP, is expected, not "fr".',
      '11 id: "b" is already on line 10.',
    ])
  })

  it.each([
    [
      '{"type": "Point", "coordinates": [1, 2]}',
      "1 null: A GeoJSON feature collection is expected: an object with the type FeatureCollection and a list of features.",
    ],
    [
      "[1]",
      "1 null: A GeoJSON feature collection is expected: an object with the type FeatureCollection and a list of features.",
    ],
    [
      '{"type": "FeatureCollection",\n"features": [}',
      "2 null: The file is not JSON: Unexpected token '}' (line 2 column 14)",
    ],
    ['{"type": "FeatureCollection", "features": []}', "1 null: The file holds no spot."],
  ])("that is invalid is refused: %s", (text, issue) => {
    expect(issuesOf(text)).toEqual([issue])
  })
})

describe("a CSV file", () => {
  it("gives its rows as spots; tags are separated by commas, semicolons or bars, photos by blanks", () => {
    const text =
      "\uFEFFid,title,lat,lon,country_code,tags,photos,avg_rating,review_count,category,created_at,verified_on,source,notes\r\n" +
      '"x","Rock, ""the"" big",-25.5,131,AU,"red; dry|big","https://a.example/1.jpg http://a.example/2.jpg",4.5,12,landscape,2025-01-02T03:04:05Z,2025-02-03,a book,mine\r\n'
    expect(readSpotsFile(text, DAY)).toEqual({
      ok: true,
      passedOver: ["notes"],
      spots: [
        {
          id: "x",
          title: 'Rock, "the" big',
          description: "",
          latitude: -25.5,
          longitude: 131,
          category: "landscape",
          tags: ["red", "dry", "big"],
          country_code: "AU",
          photos: ["https://a.example/1.jpg", "http://a.example/2.jpg"],
          avg_rating: 4.5,
          review_count: 12,
          source: "a book",
          created_at: "2025-01-02T03:04:05Z",
          verified_on: "2025-02-03",
        },
      ],
    })
  })

  it.each(["\n", "\r\n", "\r"])(
    "is read below an empty line and Excel's line of the sign, lines that end with %j",
    lineEnd => {
      const text = "\uFEFFsep=;\n\ntitle;lat;lon;country_code;tags\nRock;1,5;2;FR;a,b\n;;;;\n".replaceAll("\n", lineEnd)
      expect(issuesOf(text)).toEqual(['4 latitude: a number from -90 to 90 is expected, not "1,5".'])
      expect(readSpotsFile(text.replace("1,5", "1.5"), DAY)).toMatchObject({
        ok: true,
        spots: [{ title: "Rock", latitude: 1.5, tags: ["a", "b"] }],
      })
    },
  )

  it("names the line on which the spot of each mistake begins, also below quoted line breaks and blank lines", () => {
    const text = [
      "title,latitude,longitude,country_code,description,avg_rating,review_count,photos,tags,created_at,verified_on",
      'One,1,1,FR,"two\nlines",,,,,,',
      "",
      "Two,north,1,FR,,,,,,,",
      'Three,1,1,FR,"two\nlines",6,1.5,ftp://x,,,',
      "Four,1,1,FR,,4,,,,yesterday,2026-02-30",
      `Five,1,1,FR,,,,,${"t".repeat(41)},,`,
      "Six,1,1,FR,,4,0,,,,",
    ].join("\n")
    expect(issuesOf(text)).toEqual([
      '5 latitude: a number from -90 to 90 is expected, not "north".',
      `6 photos[0]: an address that begins with https:// is expected, not "ftp://x".`,
      "6 avg_rating: a number from 0 to 5 is expected, not 6.",
      "6 review_count: a whole number from 0 is expected, not 1.5.",
      '8 created_at: a date YYYY-MM-DD or an instant such as 2026-11-21T09:30:00Z is expected, not "yesterday".',
      '8 verified_on: a calendar date YYYY-MM-DD is expected, not "2026-02-30".',
      `9 tags[0]: a text of at most 40 characters without a comma is expected, not "${"t".repeat(41)}".`,
      "10 avg_rating: 4 of 0 reviews: a rating needs a review_count.",
    ])
  })

  it.each([
    ["", "1 null: The file holds no spot."],
    ["title,latitude\n", "1 null: The file holds no spot."],
    [
      'title,latitude\n"open,1',
      "2 null: The table is not CSV: line 2, column 1: a quote opens the cell and is not closed.",
    ],
    ['title,"latitude\n', "1 null: The table is not CSV: line 1, column 2: a quote opens the cell and is not closed."],
    ["title,latitude\na,1,2", "2 null: The row has 3 cells, 2 are expected."],
    ["title,latitude,longitude,country_code\nÅ,1,1,", "2 country_code: is missing."],
    [
      `title,latitude,longitude,country_code\n${"x".repeat(121)},1,1,FR`,
      `2 title: a text of at most 120 characters without control characters is expected, not "${"x".repeat(59)}….`,
    ],
    ["title,latitude,longitude,country_code\n北京,1,1,CN", /^2 id: is missing, and the title gives none/],
    [
      "title,latitude,longitude,country_code,id\nx,1,1,CN,Not An Id",
      /^2 id: a text of lower-case letters and digits, joined by hyphens, of at most 80 characters is expected, not "Not An Id".$/,
    ],
  ])("that is invalid is refused: %j", (text, issue) => {
    const [first] = issuesOf(text)
    if (typeof issue === "string") expect(first).toBe(issue)
    else expect(first).toMatch(issue)
  })

  it("names at most fifty mistakes and counts all", () => {
    const text = `title,latitude,longitude,country_code\n${"x,91,1,FR\n".repeat(70)}`
    const read = readSpotsFile(text, DAY)
    expect(!read.ok && [read.issues.length, read.issueCount]).toEqual([50, 70])
  })
})

describe("what is written as GeoJSON or CSV", () => {
  it("is read back the same", () => {
    const spot = fc.record({
      id: fc.integer({ min: 0, max: 1e6 }).map(number => `s-${number}`),
      title: fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter(isPlain),
      description: fc.string({ unit: "grapheme", maxLength: 80 }).filter(text => text === "" || isPlain(text)),
      latitude: fc.double({ min: -90, max: 90, noNaN: true }).map(degrees => Math.round(degrees * 1e4) / 1e4 + 0),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }).map(degrees => Math.round(degrees * 1e4) / 1e4 + 0),
      tags: fc.array(fc.constantFrom("old", "sea side", "høj"), { maxLength: 3 }),
      country_code: fc.constantFrom("FR", "XK"),
    })
    fc.assert(
      fc.property(fc.uniqueArray(spot, { selector: ({ id }) => id, minLength: 1, maxLength: 8 }), given => {
        const geoJson = collection(
          ...given.map(({ latitude, longitude, ...rest }) => feature(rest, [longitude, latitude])),
        )
        const quote = (cell: unknown) => `"${String(cell).replaceAll('"', '""')}"`
        const csv = [
          "id,title,description,latitude,longitude,tags,country_code",
          ...given.map(({ tags, ...rest }) =>
            [rest.id, rest.title, rest.description, rest.latitude, rest.longitude, tags.join(";"), rest.country_code]
              .map(quote)
              .join(),
          ),
        ].join("\n")
        for (const text of [geoJson, csv]) {
          const read = readSpotsFile(text, DAY)
          expect(read).toMatchObject({ ok: true, passedOver: [] })
          if (!read.ok) continue
          const back = ({ id, title, description, latitude, longitude, tags, country_code }: Spot) => ({
            id,
            title,
            description,
            latitude,
            longitude,
            tags,
            country_code: country_code,
          })
          expect(read.spots.map(back)).toEqual(given)
        }
      }),
      { numRuns: 60 },
    )
  })
})

// Blanks at the ends are trimmed and control characters refused.
function isPlain(text: string): boolean {
  return text.trim() === text && text !== "" && !/\p{Cc}/u.test(text)
}
