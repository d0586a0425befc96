import type Stripe from 'stripe'
import type { Db, Queryable } from '../../ground/db/connect.ts'
import { type CardSettings, isLiveKey } from '../../settings/cardsettings.ts'
import { countAnew } from '../ledger/ledger.ts'
import * as store from './store-providers.ts'

type Kind = Pick<store.ProviderRow, 'provider' | 'isLive'>

const ASK_MS = 5000

/** The message says what to set. */
export class OtherProviderError extends Error {}

const kindOf = (settings: CardSettings): Kind => ({
  provider: settings.provider,
  isLive: settings.provider === 'stripe' && isLiveKey(settings.secretKey),
})

const isSameKind = (one: Kind, other: Kind): boolean => one.provider === other.provider && one.isLive === other.isLive

/** Returns undefined if Stripe does not tell. */
export async function askAccount(client: Stripe): Promise<string | undefined> {
  try {
    return (await client.accounts.retrieveCurrent({}, { timeout: ASK_MS, maxNetworkRetries: 0 })).id
  } catch {
    return undefined
  }
}

/** Writes which payments count from now on. Returns the row's id, with cards off that of the last provider. */
export async function startProvider(db: Db, now: Date, settings: CardSettings, account: string | undefined): Promise<number> {
  return await db.transaction(async (tx) => {
    await store.lockProviders(tx)
    const rows = await store.listProviders(tx)
    const kind = kindOf(settings)
    const known = rows.filter((row) => isSameKind(row, kind))
    const told = known.find((row) => row.account === account) ?? known.find((row) => row.account === '')
    const unnamed = kind.provider === 'off' ? undefined : rows.find(({ provider }) => provider === 'unknown')
    const row = (account === undefined ? known[0] : told) ?? unnamed
    const id = row?.id ?? Math.max(0, ...rows.map((each) => each.id)) + 1
    const named = row && row.provider !== 'unknown' ? row.account : ''
    const start = (rows[0]?.start ?? 0) + 1
    await store.keepProvider(tx, { id, ...kind, account: account ?? named, counts: row?.counts ?? true, start })
    await recount(tx, now, id)
    const taking = (await store.listProviders(tx)).find(({ provider }) => provider !== 'off')
    return taking?.id ?? 0
  })
}

async function recount(tx: Queryable, now: Date, current: number): Promise<void> {
  const changed = []
  for (const { id, provider, isLive, counts } of await store.listProviders(tx)) {
    const isCounted = isLive || id === current || provider === 'unknown'
    if (counts === isCounted) continue
    await store.setCounts(tx, id, isCounted)
    changed.push(id)
  }
  if (changed.length > 0) await countAnew(tx, now, changed)
}

/** Returns what `startProvider` has returned last. */
export async function findProviderId(db: Queryable): Promise<number> {
  return (await store.listProviders(db)).find(({ provider }) => provider !== 'off')?.id ?? 0
}

/** Throws OtherProviderError unless the server that started last has the same. */
export async function requireSameProvider(db: Queryable, settings: CardSettings, load: () => Promise<Stripe>): Promise<void> {
  const [server] = await store.listProviders(db)
  if (!server || server.start === 0)
    throw new OtherProviderError(
      'Start the server once: it writes down where it takes cards. The card of this account ends there',
    )
  const own = { ...kindOf(settings), account: '' }
  if (isSameKind(own, server)) {
    const account = server.account === '' ? undefined : await askAccount(await load())
    if (account === undefined || account === server.account) return
    own.account = account
  }
  throw new OtherProviderError(
    `The server takes cards at ${inWords(server)}, this command at ${inWords(own)}. Run it with ${SETTINGS[server.provider]}`,
  )
}

const SETTINGS = {
  stripe: 'the server’s STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
  sandbox: 'CARD_PROVIDER=sandbox',
  off: 'CARD_PROVIDER=off',
  unknown: 'the server’s settings',
}

function inWords({ provider, isLive, account }: Kind & { account: string }): string {
  if (provider !== 'stripe') return provider === 'sandbox' ? 'the sandbox' : 'no provider'
  return ['Stripe', isLive ? 'in live mode' : 'in test mode', account && `(${account})`].filter(Boolean).join(' ')
}
