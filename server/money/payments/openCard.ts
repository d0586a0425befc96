import type { Queryable } from '../../ground/db/connect.ts'
import type { CardSettings } from '../../settings/cardsettings.ts'
import { type Card, makeCard } from './card.ts'

/** The settings name the provider. */
export async function openCard(settings: CardSettings, db: Queryable, clock: () => Date): Promise<Card> {
  if (settings.provider !== 'sandbox') return makeCard(settings)
  const { open } = await import('../../sandbox/open.ts')
  return makeCard(settings, open(db, clock))
}
