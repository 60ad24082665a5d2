import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { answerClaims } from "../../adapters/data-files/answer-claims.ts"
import { RANKS } from "../../adapters/data-files/claim-order.ts"
import { listTableDays, listTableValues } from "../../adapters/data-files/claim-records.ts"
import { readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { easeRank, embeddedDataset, isRequirement, lookup } from "../../src/index.ts"

const records = Result.getOrThrow(readDataRecords("data"))
const { as_of: asOf } = records.dataset

type Span = { readonly from?: string | undefined; readonly until?: string | undefined }
const isInForce = ({ from, until }: Span) =>
  (from === undefined || from <= asOf) && (until === undefined || asOf < until)
const membersOf = (id: string) =>
  records.blocs
    .find(bloc => bloc.id === id)!
    .members.filter(isInForce)
    .map(({ code }) => code)

const expand = (selector: string) => (selector.startsWith("@") ? membersOf(selector.slice(1)) : [selector])
const rulings = answerClaims(records).flatMap(({ policy: { destination }, rulings }) =>
  [...rulings].map(([passport, ruling]) => ({ destination, passport, ruling })),
)
const tableDays = listTableDays(records.tables)

/** The pairs that an agreement in force binds, and its terms. */
const bound = [
  ...records.blocs
    .filter(bloc => bloc.freedom_of_movement)
    .map(({ id, into, treaty_days: days }) => {
      const members = membersOf(id)
      return { id, into, isFree: true, days: days ?? null, permits: "visa_free" as const, sides: [members, members] }
    }),
  ...records.treaties.filter(isInForce).map(({ id, sides, except = "", says, permits }) => {
    const left = except.split(" ")
    const [one, other] = sides.map(side =>
      side
        .split(" ")
        .flatMap(selector => (selector.startsWith("@") ? membersOf(selector.slice(1)) : selector))
        .filter(code => !left.includes(code)),
    )
    const days = Number(says.split(" ")[1])
    const into: string | undefined = undefined
    return { id, into, isFree: false, days, permits: permits ?? ("visa_free" as const), sides: [one!, other!] }
  }),
].flatMap(({ sides: [one, other], ...terms }) => {
  const pairs = [...one!.flatMap(a => other!.map(b => [a, b])), ...other!.flatMap(a => one!.map(b => [a, b]))]
  const isPair = ([a, b]: readonly string[]) => a !== b && embeddedDataset().passports.includes(a!)
  return pairs
    .filter(isPair)
    .filter(([, destination]) => terms.into === undefined || terms.into === destination)
    .map(([passport, destination]) => ({ ...terms, passport: passport!, destination: destination! }))
})

const answerOf = (passport: string, destination: string) => {
  const answer = lookup(passport, destination)
  return answer.kind === "found" ? answer : null
}
const list = (pairs: readonly { readonly passport: string; readonly destination: string; readonly id: string }[]) =>
  [...new Set(pairs.map(({ id, passport, destination }) => `${id}: ${passport} ${destination}`))].sort()

/**
 * The work list: how many answers of a destination rest on one compiler who names a page, against two tables or more that agree. A number may
 * only fall: somebody has to read the page, or say why it stands.
 */
const LONE = new Map(
  [
    "AGO 94 ALB 14 ARM 1 ATG 12 BDI 2 BEN 2 BGD 17 BHR 88 BIH 1 BLR 3 BOL 1 BRA 1 BRB 1 BTN 2 BWA 1 CAF 9 CHL 1 CHN 5 COL 1",
    "CPV 95 CUB 1 DMA 2 DOM 3 DZA 1 EGY 1 FJI 1 GAB 1 GEO 21 GHA 19 GMB 60 GNQ 3 GRD 14 HKG 4 HTI 6 IDN 1 IND 2 JAM 2 JOR 4",
    "KAZ 3 KGZ 4 LAO 1 LBN 3 LBY 8 LCA 1 LKA 5 MAR 5 MDA 3 MDG 1 MHL 1 MLI 4 MMR 1 MNE 2 MNG 2 MOZ 2 MRT 1 MUS 1 MWI 2",
    "NGA 1 NIC 63 NRU 2 NZL 137 OMN 27 PAK 3 PAN 3 PER 1 PHL 1 PLW 1 PNG 1 PRK 1 PRY 4 PSE 156 RUS 1 SGP 35 SLB 122 SLE 1",
    "SRB 1 SSD 1 SUR 7 SWZ 1 SYC 198 TCD 4 THA 22 TJK 38 TLS 1 TON 6 TTO 95 TUN 4 TUR 1 TUV 5 TWN 5 TZA 7 UGA 2 UKR 1 USA 8",
    "VCT 1 VEN 125 VUT 4 YEM 1 ZAF 4 ZWE 1",
  ]
    .flatMap(line => line.match(/\w+ \d+/g) ?? [])
    .map((pair): [string, number] => [pair.slice(0, 3), Number(pair.slice(4))]),
)

/** Pages of which no day is known, and claims without a page, from before claims were introduced. None may be added. */
const UNDATED = [
  "aia-evisa: AIA",
  "asm-entry-permits: ASM",
  "b92.net: SRB",
  "bmu-prohibition-2025: BMU",
  "cok-immigration: COK",
  "cym-visa-list: CYM",
  "eservice.evisa.iq-2: IRQ",
  "evisa.mfa.ir-2: IRN",
  "flk-visa-list: FLK",
  "fm.gov.om-2: OMN",
  "fra-consulate-miami-overseas: BLM GLP GUF MAF MTQ REU",
  "fra-embassy-nz-pacific: NCL PYF WLF",
  "fra-overseas-orders: GLP GUF MTQ MYT NCL PYF REU SPM",
  "fra-prefecture-reunion: REU",
  "gov-uk-travel-advice: VGB",
  "jpost.com: KWT",
  "kor-inter-korean-exchange-act: KOR",
  "msr-visa-list: MSR",
  "niu-entry: NIU",
  "nld-caribbean-visa-list: ABW BES CUW SXM",
  "no page: ASM BLM FLK GIB GLP GUF MAF MTQ MYT NCL NIU PCN PYF REU SJM SPM VGB WLF",
  "shafaq.com: IRQ",
  "shn-evisa: SHN",
  "tca-border-force: TCA",
  "us-guam-cnmi: GUM MNP",
  "vgb-london-office: VGB",
  "vgb-visa-requirements: VGB",
  "visasin.com: TCD",
]

describe("the answers of data/", () => {
  it("are not below a treaty in force", () => {
    const below = bound.filter(({ passport, destination, permits, days }) => {
      const answer = answerOf(passport, destination)
      if (answer === null || answer.requirement === "no_admission") return false
      if (easeRank(answer.requirement) > easeRank(permits)) return true
      return answer.requirement === "visa_free" && answer.days !== null && days !== null && answer.days < days
    })
    expect(list(below)).toEqual([])
  })

  it("give no fixed days where a right of free movement has none", () => {
    const limited = bound.filter(({ passport, destination, isFree, days }) => {
      const answer = answerOf(passport, destination)
      return isFree && days === null && answer?.requirement === "visa_free" && answer.days !== null
    })
    expect(list(limited)).toEqual([])
  })

  it("are free in both directions of an agreement, or need no more than it permits", () => {
    const uneven = bound.filter(({ passport, destination, permits }) => {
      const [there, back] = [answerOf(passport, destination), answerOf(destination, passport)]
      return there?.requirement === "visa_free" && back !== null && easeRank(back.requirement) > easeRank(permits)
    })
    expect(list(uneven)).toEqual([])
  })

  it("rest on no claim without a day of the rule or of reading, but on these pages", () => {
    const undated = records.claims.flatMap(({ destination, pages, claims }) =>
      claims.flatMap(({ page, says, from, settles }) => {
        const seen = [from ?? [], (page === undefined ? undefined : pages[page])?.read ?? []].flat()
        const decides = isRequirement(says.split(" ")[0]!) && settles === undefined
        return decides && seen.length === 0 ? [`${page ?? "no page"}: ${destination}`] : []
      }),
    )
    const listed = Map.groupBy([...new Set(undated)].sort(), line => line.split(": ")[0]!)
    const found = [...listed].map(([page, lines]) => `${page}: ${lines.map(line => line.split(": ")[1]).join(" ")}`)
    expect(found).toEqual(UNDATED)
  })

  it("name the day of the rule where a claim that was read since claims were introduced corrects a table", () => {
    const isNew = (destination: string, place: string) => {
      const { pages, claims } = records.claims.find(one => one.destination === destination)!
      const { page } = claims[Number(/\d+/.exec(place)?.[0])] ?? {}
      return (pages[page ?? ""]?.read?.[0] ?? "") > "2026-11-21"
    }
    const undated = rulings.filter(({ destination, ruling: { shown, disputed, treaty } }) => {
      if (shown === null || shown.isOfTable || shown.begunFrom !== null || disputed !== null || treaty !== null)
        return false
      return shown.opinions.some(({ place }) => isNew(destination, place))
    })
    expect(undated.map(({ destination, passport }) => `${destination}: ${passport}`)).toEqual([])
  })

  it("name the day of the rule where a person corrects the last table, but at these pairs", () => {
    const undated = rulings.filter(({ destination, passport, ruling: { shown, disputed, treaty } }) => {
      if (shown === null || shown.isOfTable || shown.begunFrom !== null || disputed !== null || treaty !== null)
        return false
      const record = records.claims.find(one => one.destination === destination)!
      const said = listTableValues(record).get(passport)?.at(-1)
      const isOfPerson = shown.opinions.some(({ place }) => {
        const { page = "" } = record.claims[Number(/\d+/.exec(place)?.[0])] ?? {}
        return record.pages[page]?.by !== "travelrequirements"
      })
      return isOfPerson && said !== undefined && said.word !== null && said.word !== shown.word
    })
    const counts = [...Map.groupBy(undated, ({ destination }) => destination)].map(
      ([code, pairs]) => `${code} ${pairs.length}`,
    )
    expect(counts.join(", ")).toBe("BOL 114, IRQ 128, KOR 1, KWT 1, OMN 87, TCD 1")
  })

  it("are nowhere easier for a passport that a complete list does not name than for all others", () => {
    const easier = records.claims.flatMap(({ destination, pages, claims }) =>
      Object.entries(pages).flatMap(([id, { complete }]) => {
        if (complete !== true) return []
        const ofPage = claims.filter(({ page }) => page === id)
        const named = ofPage.flatMap(({ who }) => who.split(" ").flatMap(expand))
        const rest = ofPage.find(({ who }) => who.split(" ").includes("*"))?.says.split(" ")[0] ?? ""
        return embeddedDataset()
          .passports.filter(passport => {
            const answer = answerOf(passport, destination)
            if (answer === null || answer.home || answer.basis === "freedom_of_movement") return false
            const isBound = bound.some(pair => pair.passport === passport && pair.destination === destination)
            return (
              !named.includes(passport) &&
              !isBound &&
              isRequirement(rest) &&
              easeRank(answer.requirement) < easeRank(rest)
            )
          })
          .map(passport => `${destination}: ${passport}`)
      }),
    )
    expect(easier).toEqual([])
  })

  it("rest on a compiler alone against two tables that agree at no more pairs than are listed", () => {
    const lone = rulings.filter(({ destination, passport, ruling: { shown, disputed, treaty } }) => {
      if (shown === null || shown.isOfTable || treaty !== null || disputed !== null) return false
      if (shown.opinions.some(({ rank, isWeighed }) => isWeighed || rank < RANKS.compilerOfPages)) return false
      const said = listTableValues(records.claims.find(one => one.destination === destination)!).get(passport) ?? []
      const since = said.at(-1)
      const isOld = since !== undefined && since.word !== null && tableDays.filter(day => day >= since.on).length >= 2
      return (
        isOld && since.word !== shown.word && !(since.word === "e_visa_or_eta" && /^e_visa$|^eta$/.test(shown.word))
      )
    })
    const counts = Object.fromEntries(
      [...Map.groupBy(lone, ({ destination }) => destination)].map(([code, pairs]) => [code, pairs.length]),
    )
    const more = Object.entries(counts).filter(([code, count]) => count > (LONE.get(code) ?? 0))
    expect(more).toEqual([])
  })

  /** Pages of governments' advice to their own citizens. */
  const ADVICE: Readonly<Record<string, string>> = {
    "www.gov.uk": "GBR",
    "travel.gc.ca": "CAN",
    "www.smartraveller.gov.au": "AUS",
    "www.auswaertiges-amt.de": "DEU",
    "travel.state.gov": "USA",
    "www.diplomatie.gouv.fr": "FRA",
    "www.viaggiaresicuri.it": "ITA",
    "www.ireland.ie": "IRL",
  }
  /** Claims of such pages about others, each read as the destination's own word: none decides against a table. */
  const READ_THROUGH = ["EGY: CAN GBR", "SYR: IRN ISR"]

  it("call no government's advice about the citizens of others an official page", () => {
    const passed = records.claims.flatMap(({ destination, pages, claims }) =>
      claims.flatMap(({ page, says, who }) => {
        const { by = "", url = "", publisher } = (page === undefined ? undefined : pages[page]) ?? {}
        const host = url === "" ? "" : new URL(url).hostname
        const own = ADVICE[host]
        const isOther = own !== undefined && own !== destination && who !== own
        const isClaim = by === "travelrequirements" && !/^(not_said|changed)/.test(says)
        return isClaim && isOther && publisher !== "third_state" ? [`${destination}: ${who}`] : []
      }),
    )
    expect(passed.sort()).toEqual(READ_THROUGH)
  })
})
