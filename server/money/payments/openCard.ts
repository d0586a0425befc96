import type { Db } from '../../ground/db/connect.ts'
import type { OpenedSandbox } from '../../sandbox/open.ts'
import type { CardSettings } from '../../settings/cardsettings.ts'
import { type Card, clientOf, makeCard, type Warn } from './card.ts'
import { type EventOutcome, makeCardNotes } from './cardNotes.ts'
import type { NoteFailure } from './failures.ts'
import { askAccount, findProviderId, requireSameProvider, startProvider } from './provider.ts'

interface Options {
  warn?: Warn
  /** Learns of each error of the provider's. */
  note?: NoteFailure
  noteEvent?: ((outcome: EventOutcome) => void) | undefined
  /** Asks Stripe whose account the key opens. */
  asksAccount?: boolean
}

/** Opens the server's provider. */
export async function openCard(
  settings: CardSettings,
  db: Db,
  clock: () => Date,
  { warn = () => undefined, note = () => undefined, noteEvent, asksAccount = false }: Options = {},
): Promise<Card> {
  const inside = await openSandbox(settings, db, clock)
  const notes = makeCardNotes(clock, noteEvent)
  const load = clientOf(settings, inside, (failure) => {
    notes.noteFailure(failure)
    note(failure)
  })
  const account = asksAccount && settings.provider === 'stripe' ? await askAccount(await load()) : undefined
  const providerId = await startProvider(db, clock(), settings, account)
  return makeCard(settings, { load, providerId, warn, notes, ...(inside && { inside }) })
}

/** Opens it for another program; `client` throws OtherProviderError for another provider than the server's. */
export async function openCardBeside(settings: CardSettings, db: Db, clock: () => Date, warn: Warn): Promise<Card> {
  const inside = await openSandbox(settings, db, clock)
  const notes = makeCardNotes(clock)
  const open = clientOf(settings, inside, notes.noteFailure)
  const load = async () => {
    await requireSameProvider(db, settings, open)
    return await open()
  }
  const parts = { load, providerId: await findProviderId(db), warn, notes }
  return makeCard(settings, { ...parts, ...(inside && { inside }) })
}

async function openSandbox(settings: CardSettings, db: Db, clock: () => Date): Promise<OpenedSandbox | undefined> {
  if (settings.provider !== 'sandbox') return undefined
  const { open } = await import('../../sandbox/open.ts')
  return open(db, clock)
}
