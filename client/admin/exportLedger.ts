import { COINS } from '../../contract/money/coins.ts'
import { type ExportedEntry, ledgerApi } from '../../contract/money/receipts.ts'
import type { Env } from '../env.ts'
import { csvOf } from './adminWords.ts'

const HEAD = [
  ...['key', 'at', 'kind', 'account', 'source', 'provider', 'mode', 'plan', 'gross', 'tax', 'net'],
  ...['coin', 'coin amount', 'rate', 'reference', 'refers to', 'receipt'],
]

/** Returns the ledger of these UTC days as pieces of one CSV. Says how many entries it has so far. Throws ApiError. */
export async function exportLedger(
  env: Pick<Env, 'api'>,
  { from, to }: { from: string; to: string },
  onCount: (count: number) => void,
): Promise<string[]> {
  const pieces = [csvOf([HEAD])]
  let [after, count] = [0, 0]
  for (;;) {
    const { entries, hasMore } = await env.api(ledgerApi.entries, { from, to, after })
    // Text of a page at a time, so that the entries of a large ledger are not kept too.
    pieces.push(csvOf(entries.map(rowOf)))
    after = entries.at(-1)?.place ?? after
    count += entries.length
    onCount(count)
    if (!hasMore || entries.length === 0) return pieces
  }
}

function rowOf(entry: ExportedEntry): (string | null)[] {
  const { key, at, kind, userId, source, provider, isTest, tier, amountCents, taxCents, coin, coinUnits, rate } = entry
  const mode = isTest === null ? null : isTest ? 'test' : 'live'
  return [
    ...[key, at, kind, userId, source, provider, mode, tier],
    ...[dollars(amountCents), taxCents === null ? null : dollars(taxCents), dollars(amountCents - (taxCents ?? 0))],
    ...[
      coin,
      coin && coinUnits && whole(coin, coinUnits),
      rate && decimal(rate, 8),
      entry.reference,
      entry.refersTo,
      entry.receipt,
    ],
  ]
}

const dollars = (cents: number): string => decimal(String(cents), 2)

function whole(coin: string, units: string): string {
  const known = Object.entries(COINS).find(([name]) => name === coin)?.[1]
  return known ? decimal(units, known.decimals) : units
}

/** A whole number of the smallest unit, written with all of its places. */
function decimal(units: string, places: number): string {
  const digits = units.padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
