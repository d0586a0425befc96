import { z } from 'zod'

/** The plans that an account can have. A package that is sold gives the rights of one of them. */
export const tierShape = z.enum(['free', 'test', 'premium', 'master', 'enterprise'])
export type Tier = z.infer<typeof tierShape>

/** In every number of a plan, here and in the database: without a limit. */
export const UNLIMITED = -1

/** What a plan allows. */
export interface Rights {
  send: boolean
  call: boolean
  shareFiles: boolean
  /** Invite a family circle. */
  family: boolean
}

/** A row of the table. */
export interface Plan {
  /** As people read it. */
  name: string
  /** US cents a month; null: not sold by itself. */
  monthlyCents: number | null
  rights: Rights
  /** Messages that may be sent in a UTC month. */
  messagesPerMonth: number
  /** Largest file in bytes. */
  fileBytes: number
  hasPrioritySupport: boolean
}

const NO_RIGHTS: Rights = { send: false, call: false, shareFiles: false, family: false }
const PAID_RIGHTS: Rights = { send: true, call: true, shareFiles: true, family: false }
const FILE_BYTES = 10 * 1024 * 1024

const premium: Plan = {
  name: 'Premium',
  monthlyCents: 100_000,
  rights: PAID_RIGHTS,
  messagesPerMonth: UNLIMITED,
  fileBytes: FILE_BYTES,
  hasPrioritySupport: true,
}

/**
 * What each plan allows: the only place that tells one plan from another. The server writes it to the table `plan_rights` when
 * it starts; an account's effective plan is read there (`server/plans/`).
 */
export const PLANS: Readonly<Record<Tier, Plan>> = {
  free: {
    name: 'Free',
    monthlyCents: null,
    rights: NO_RIGHTS,
    messagesPerMonth: 0,
    fileBytes: 0,
    hasPrioritySupport: false,
  },
  test: {
    name: 'Test',
    monthlyCents: 100,
    rights: PAID_RIGHTS,
    messagesPerMonth: 10,
    fileBytes: FILE_BYTES,
    hasPrioritySupport: false,
  },
  premium,
  master: { ...premium, name: 'Master', monthlyCents: null, rights: { ...PAID_RIGHTS, family: true } },
  enterprise: { ...premium, name: 'Enterprise', monthlyCents: null },
}

/**
 * Raised with every change of `PLANS`: of two servers on one database the newer one's table stands, whichever starts last.
 */
export const PLANS_VERSION = 1

/** The words of `message_limit_reached`; what follows "message: " is shown to people. */
export const messageLimitText = (messagesPerMonth: number): string =>
  `Message limit reached message: You've sent the ${messagesPerMonth} messages of this month's plan`

/** True where an account with this effective plan may do it. */
export const hasRight = (tier: Tier, right: keyof Rights): boolean => PLANS[tier].rights[right]
