import type { Subscription } from '../../../contract/money/payments.ts'
import { PLANS } from '../../../contract/money/plans.ts'
import { shownDay, shownPrice } from './planLines.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** How long before its end a plan is spoken of. */
const DAYS_BEFORE = 7

/** What the app says of a plan outside its tab. */
export interface Reminder {
  /** Names what it is about. Another date or another failure is another reminder. */
  key: string
  title: string
  text: string
  /** What leads to the plan is called. */
  act: string
}

/** Returns what the person should know now: a payment that waits or has failed, or a plan that ends within days. Undefined for nothing. */
export function reminderOf({ tier, card, endDate }: Subscription, now: Date): Reminder | undefined {
  const waiting = card?.waiting
  if (waiting?.kind === 'change')
    return {
      key: `confirm ${waiting.url}`,
      title: 'One step is left',
      text: `Confirm the payment of ${shownPrice(waiting.amountCents)} for ${PLANS[waiting.tier].name}.`,
      act: 'Confirm payment',
    }
  if (card?.hasFailed)
    return {
      key: `failed ${card.periodEnd}`,
      title: 'The last payment failed',
      text: card.graceUntil ? `Your plan goes on until ${shownDay(card.graceUntil)}.` : 'Your plan ends soon.',
      act: 'Pay or change the card',
    }
  const end = card ? (card.renews ? null : card.periodEnd) : endDate
  if (end === null) return undefined
  const leftMs = new Date(end).getTime() - now.getTime()
  if (leftMs <= 0 || leftMs > DAYS_BEFORE * DAY_MS) return undefined
  const days = Math.ceil(leftMs / DAY_MS)
  return {
    key: `ends ${end}`,
    title: `${PLANS[tier].name} ends ${days === 1 ? 'within a day' : `in ${days} days`}`,
    text: `From ${shownDay(end)} on you cannot send. Everything stays readable.`,
    act: 'See plans',
  }
}
