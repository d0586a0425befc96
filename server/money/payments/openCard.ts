import type { Queryable } from '../../ground/db/connect.ts'
import { fetchFrom } from '../../sandbox/network.ts'
import { openSandbox } from '../../sandbox/sandbox.ts'
import type { CardSettings } from '../../settings/cardsettings.ts'
import { type Card, makeCard } from './card.ts'

/** Opens the card provider that the settings name. */
export function openCard(settings: CardSettings, db: Queryable, clock: () => Date): Card {
  if (settings.provider !== 'sandbox') return makeCard(settings)
  const sandbox = openSandbox(db, clock)
  return makeCard(settings, { sandbox, fetch: fetchFrom(sandbox, db) })
}
