import type { Subscription } from '../../../contract/money/payments.ts'
import { shownDay } from './planLines.ts'

const AFTER = 'Then sending stops, and everything stays readable.'

/** How a plan ends that no card renews, where there is nothing to downgrade. */
export function endWords({ source, endDate }: Pick<Subscription, 'source' | 'endDate'>): string {
  if (source === 'family')
    return `This plan comes from the family circle that you are in. There is nothing to downgrade: it ends when you leave the circle, or when the plan of the circle ends. ${AFTER}`
  if (endDate === null)
    return 'This plan was given to you without an end. There is nothing to pay or to downgrade: whoever runs the server can end it.'
  const day = shownDay(endDate)
  if (source === 'coin')
    return `This plan was paid by coin, and does not renew. There is nothing to downgrade: it ends by itself on ${day}, nothing more is charged, and no part of what was paid comes back. ${AFTER}`
  return `${source === 'operator' ? 'This plan was given to you. ' : ''}There is nothing to downgrade: it ends by itself on ${day}, and nothing is charged. ${AFTER}`
}

export const downgradeWords = (periodEnd: string): string =>
  `Downgrade to Free ends the plan on ${shownDay(periodEnd)}: the card is not charged again, and what was paid is not paid back. Until then you can take it back.`
