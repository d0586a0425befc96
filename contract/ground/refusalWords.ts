import { REFUSALS, type RefusalCode } from './refusals.ts'

/** A server may say these in place of a code's own text. */
const OTHERS: Partial<Record<RefusalCode, (string | RegExp)[]>> = {
  invalid_input: [
    'Make a passkey first',
    'The account has this passkey already',
    'This passkey was not made for this account and page',
    'This passkey was sent before',
    'The recovery kit is used up',
    'Report messages of this person only, each once',
    'A text may not contain the NUL character',
  ],
  invalid_credentials: ['The password is wrong'],
  not_signed_in: ['You must be logged in to send messages'],
  message_limit_reached: [/^Message limit reached message: You’ve sent the \d{1,9} messages of this month’s plan$/],
  too_many_devices: [/^An account has at most \d{1,3} devices\. Remove one first$/],
  family_full: [
    'This family circle is full: five people are in it already',
    'All places are taken by members and pending invitations',
  ],
  no_subscription: ['This plan was given to you without an end. Whoever runs the server can end it'],
  card_refused: [
    'Your card was declined.',
    'Your card has insufficient funds.',
    'Your card has expired.',
    'Your card’s security code is incorrect.',
    'Your card does not support this type of purchase.',
    'The card provider does not know this way to pay as yours',
  ],
}

const isKnown = (code: string): code is RefusalCode => Object.hasOwn(REFUSALS, code)

/** Proxies send no code. */
const BY_STATUS: Record<number, RefusalCode> = {
  413: 'too_large',
  429: 'too_many_requests',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

/** Returns the product's own text for what a server `said`; an unknown code becomes `internal`. */
export function refusalWords(code: unknown, said: unknown, status: number): { code: RefusalCode; text: string } {
  if (typeof code !== 'string' || !isKnown(code))
    return { code: 'internal', text: REFUSALS[BY_STATUS[status] ?? 'internal'].text }
  const isOurs = (one: string | RegExp) => (typeof one === 'string' ? one === said : typeof said === 'string' && one.test(said))
  const text = typeof said === 'string' && OTHERS[code]?.some(isOurs) ? said : REFUSALS[code].text
  return { code, text }
}
