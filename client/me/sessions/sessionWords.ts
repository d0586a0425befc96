import type { Origin, SignIn } from '../../../contract/account/sessions.ts'
import { clockTime, dayOf, moment } from '../../ui/time.ts'

/** "Chrome on Windows", "Firefox", "Unknown browser". */
export const browserWords = ({ browser, system }: Pick<Origin, 'browser' | 'system'>): string =>
  `${browser || 'Unknown browser'}${system && ` on ${system}`}`

export const signInTitle = ({ copiedPasskey }: Pick<SignIn, 'copiedPasskey'>): string =>
  copiedPasskey === null ? 'New sign-in' : 'A sign-in was refused'

/** How a session came to the server. */
export const ingressWords = ({ ingress }: Pick<Origin, 'ingress'>): string => (ingress === 'onion' ? 'by onion' : 'direct')

/** "2:02 PM" today, "Nov 14, 2026, 2:02 PM" on another day. */
export const signInTime = (at: Date, now: Date): string => (dayOf(at) === dayOf(now) ? clockTime(at) : moment(at))
