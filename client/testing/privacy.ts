import type { Privacy } from '../../contract/people/privacy.ts'

/** An account that hides nothing, as each new one. */
export const ALL_SHOWN: Privacy = { presence: true, lastSeen: true, typing: true, receipts: true }
