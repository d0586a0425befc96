import type { Queryable } from '../../ground/db/connect.ts'
import type { CardSettings } from '../../settings/cardsettings.ts'
import { type Card, makeCard, type Skip } from './card.ts'

/** The settings name the provider. */
export async function openCard(
  settings: CardSettings,
  db: Queryable,
  clock: () => Date,
  skip: Skip = () => undefined,
): Promise<Card> {
  if (settings.provider !== 'sandbox') return makeCard(settings, skip)
  const { open } = await import('../../sandbox/open.ts')
  return makeCard(settings, skip, open(db, clock))
}
