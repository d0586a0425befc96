import { z } from 'zod'

/** A sold package grants the rights of one plan. */
export const tierShape = z.enum(['free', 'test', 'premium', 'master', 'enterprise'])
export type Tier = z.infer<typeof tierShape>

/** Means "no limit", also in the database. */
export const UNLIMITED = -1

export interface Rights {
  send: boolean
  call: boolean
  shareFiles: boolean
  /** The account may invite a family circle. */
  family: boolean
}

export interface Plan {
  name: string
  /** US cents; null if the plan is not sold by itself. */
  monthlyCents: number | null
  rights: Rights
  /** In a UTC month. */
  messagesPerMonth: number
  fileBytes: number
  /** Sealed bytes; 0 if the account may share none. */
  storageBytes: number
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
  storageBytes: UNLIMITED,
  hasPrioritySupport: true,
}

/**
 * Alone defines how plans differ. The server writes the table `plan_rights` at its start and reads plans there
 * (`server/money/plans/`).
 */
export const PLANS: Readonly<Record<Tier, Plan>> = {
  free: {
    name: 'Free',
    monthlyCents: null,
    rights: NO_RIGHTS,
    messagesPerMonth: 0,
    fileBytes: 0,
    storageBytes: 0,
    hasPrioritySupport: false,
  },
  test: {
    name: 'Test',
    monthlyCents: 100,
    rights: PAID_RIGHTS,
    messagesPerMonth: 10,
    fileBytes: FILE_BYTES,
    storageBytes: UNLIMITED,
    hasPrioritySupport: false,
  },
  premium,
  master: { ...premium, name: 'Master', monthlyCents: null, rights: { ...PAID_RIGHTS, family: true } },
  enterprise: { ...premium, name: 'Enterprise', monthlyCents: null },
}

/** Raise it with every change of `PLANS`: the newer table wins between two servers on one database. */
export const PLANS_VERSION = 2

/** Returns the text of `message_limit_reached`; pages show what follows "message: ". */
export const messageLimitText = (messagesPerMonth: number): string =>
  `Message limit reached message: You’ve sent the ${messagesPerMonth} messages of this month’s plan`

/** True if the plan has the right. */
export const hasRight = (tier: Tier, right: keyof Rights): boolean => PLANS[tier].rights[right]

/** Sorted by what they allow. */
const ORDER: readonly Tier[] = ['free', 'test', 'premium', 'enterprise', 'master']

/** Returns a negative number if the first allows less. */
export const compareTiers = (one: Tier, other: Tier): number => ORDER.indexOf(one) - ORDER.indexOf(other)
