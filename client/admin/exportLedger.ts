import { type ExportedEntry, ledgerApi } from '../../contract/money/receipts.ts'
import type { Env } from '../env.ts'
import { decimal, wholeCoins } from './coinwords.ts'
import { exportPages } from './exportPages.ts'

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
  return await exportPages(HEAD, onCount, async (last: ExportedEntry | undefined) => {
    const { entries, hasMore } = await env.api(ledgerApi.entries, { from, to, after: last?.place ?? 0 })
    return { rows: entries.map(rowOf), last: entries.at(-1), hasMore }
  })
}

function rowOf(entry: ExportedEntry): (string | null)[] {
  const { key, at, kind, userId, source, provider, isTest, tier, amountCents, taxCents, coin, coinUnits, rate } = entry
  const mode = isTest === null ? null : isTest ? 'test' : 'live'
  return [
    ...[key, at, kind, userId, source, provider, mode, tier],
    ...[dollars(amountCents), taxCents === null ? null : dollars(taxCents), dollars(amountCents - (taxCents ?? 0))],
    ...[
      coin,
      coin && coinUnits && wholeCoins(coin, coinUnits),
      rate && decimal(rate, 8),
      entry.reference,
      entry.refersTo,
      entry.receipt,
    ],
  ]
}

const dollars = (cents: number): string => decimal(String(cents), 2)
