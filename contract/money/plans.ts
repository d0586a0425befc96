import { z } from 'zod'

/** The plans that an account can have. A package that is sold grants the rights of one of them. */
export const tierShape = z.enum(['free', 'test', 'premium', 'master', 'enterprise'])
export type Tier = z.infer<typeof tierShape>

/** Means "no limit" in every number of a plan, here and in the database. */
export const UNLIMITED = -1

/** The rights that a plan grants. */
export interface Rights {
  send: boolean
  call: boolean
  shareFiles: boolean
  /** True if the account may invite a family circle. */
  family: boolean
}

/** A row of the table of plans. */
export interface Plan {
  /** The displayed name. */
  name: string
  /** Price in US cents a month; null if the plan is not sold by itself. */
  monthlyCents: number | null
  rights: Rights
  /** Messages that the account may send in a UTC month. */
  messagesPerMonth: number
  /** Largest file in bytes. */
  fileBytes: number
  /** Bytes of sealed files that the server stores of the account; 0 if it may share none. */
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
 * The rights of each plan: the only place that defines how plans differ. The server writes it to the table `plan_rights` at its
 * start and reads an account's effective plan there (`server/money/plans/`).
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

/** Raise it with every change of `PLANS`. Of two servers on one database the newer one's table wins, whichever starts last. */
export const PLANS_VERSION = 2

/** The text of `message_limit_reached`. Pages show what follows "message: ". */
export const messageLimitText = (messagesPerMonth: number): string =>
  `Message limit reached message: You’ve sent the ${messagesPerMonth} messages of this month’s plan`

/** True if an account with this effective plan has the right. */
export const hasRight = (tier: Tier, right: keyof Rights): boolean => PLANS[tier].rights[right]

/** From the plan that allows least to the one that allows most. */
const ORDER: readonly Tier[] = ['free', 'test', 'premium', 'enterprise', 'master']

/** Compares two plans by what they allow, for sorting: negative if the first allows less. */
export const compareTiers = (one: Tier, other: Tier): number => ORDER.indexOf(one) - ORDER.indexOf(other)
