import { z } from 'zod'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import type { Vault, Write } from './vault.ts'
import { jsonOf, type VaultValue } from './vaultRows.ts'

export interface EpochName {
  groupId: string
  epoch: number
}

/** Seqs `first` to `last`. */
export interface Waiting extends EpochName {
  first: number
  last: number
}

/** Seqs `first` to `last`. */
export interface Newer {
  version: number
  first: number
  last: number
}

/** The log since its last commit [Note: M5]; absent on a device that joined later. */
export interface Transcript {
  since: number
  /** base64; '' at the commit. */
  hash: string
  before?: string
}

export interface OwnPath {
  /** ISO 8601, device's clock. */
  at: string
  seq: number
  /** The last attempt that lost. */
  triedAt?: string
}

export interface LogPlace {
  generation: number
  /** base64. */
  groupId: string
  epoch?: number
}

/** The first commit to name a version. */
export interface NamedAt {
  version: number
  seq: number
}

/** `hash`: 16 bytes, base64. */
export interface NamedList {
  userId: string
  version: number
  hash: string
  /** The proven namer. */
  by?: string
  /** True if the signed list came with it. */
  isSigned?: boolean
}

/** [Note: D2] */
export interface Fork extends NamedList {
  known: string
  isProven?: boolean
  /** True after the other members learned the known list. */
  isTold: boolean
  /** False: nothing is sent. */
  isAnswered: boolean
}

/** `isSaid`: not only by a message's lifetime. */
export interface Timer {
  seq: number
  seconds: number
  isSaid: boolean
}

export interface RoomRecord {
  generation: number
  /** base64. */
  groupId: string | null
  /** `outside`: read by the archive. */
  standing: 'joined' | 'outside'
  /** The newest proven epoch [Note: R4]. */
  epoch: number
  cursor: number
  /** The vault is complete from here to the cursor. */
  from: number
  cleared?: number
  /** Computed from the commits [Note: H3]. */
  log?: LogPlace
  /** By user id [Note: H3]. */
  named?: Record<string, NamedAt[]>
  forks?: Fork[]
  /** Lists newer than this device's. */
  claimed?: NamedList[]
  /** [Note: M5] */
  transcript?: Transcript | undefined
  /** Older builds renew keys by this time. */
  lastCommitAt: string
  /** [Note: R7] */
  ownPath?: OwnPath
  /** Since the newest path [Note: R7]. */
  ownMessages: number
  /** False after a creation. */
  isHealed: boolean
  waiting: Waiting[]
  newer?: Newer[]
  /** Rises whenever stored messages become others [Note: M7]. */
  changes?: number
  hasWaitingActs?: boolean
  /** [Note: M7] */
  pins?: Pinned[]
  /** [Note: M9] */
  timer?: Timer
  nextEndMs?: number
  /** [Note: H1] */
  unaudited: EpochName[]
}

const place = { first: z.number(), last: z.number() }
const namedList = {
  ...{ userId: z.string(), version: z.number(), hash: z.string() },
  by: z.string().exactOptional(),
  isSigned: z.boolean().exactOptional(),
}
const epochName = { groupId: z.string(), epoch: z.number() }

export const transcriptShape: z.ZodType<Transcript> = z.looseObject({
  since: z.number(),
  hash: z.string(),
  before: z.string().exactOptional(),
})

const recordShape: z.ZodType<RoomRecord> = z.looseObject({
  generation: z.number(),
  groupId: z.string().nullable(),
  standing: z.enum(['joined', 'outside']),
  epoch: z.number(),
  cursor: z.number(),
  from: z.number(),
  cleared: z.number().exactOptional(),
  log: z.looseObject({ generation: z.number(), groupId: z.string(), epoch: z.number().exactOptional() }).exactOptional(),
  named: z.record(z.string(), z.array(z.looseObject({ version: z.number(), seq: z.number() }))).exactOptional(),
  forks: z
    .array(
      z.looseObject({
        ...namedList,
        known: z.string(),
        isProven: z.boolean().exactOptional(),
        isTold: z.boolean(),
        isAnswered: z.boolean(),
      }),
    )
    .exactOptional(),
  claimed: z.array(z.looseObject(namedList)).exactOptional(),
  transcript: transcriptShape.optional(),
  lastCommitAt: z.string(),
  ownPath: z.looseObject({ at: z.string(), seq: z.number(), triedAt: z.string().exactOptional() }).exactOptional(),
  ownMessages: z.number(),
  isHealed: z.boolean(),
  waiting: z.array(z.looseObject({ ...epochName, ...place })),
  newer: z.array(z.looseObject({ version: z.number(), ...place })).exactOptional(),
  changes: z.number().exactOptional(),
  hasWaitingActs: z.boolean().exactOptional(),
  timer: z.looseObject({ seq: z.number(), seconds: z.number(), isSaid: z.boolean() }).exactOptional(),
  nextEndMs: z.number().exactOptional(),
  unaudited: z.array(z.looseObject(epochName)),
})

export const RECORDS = 'room:'

const recordKey = (chatRoomId: string) => RECORDS + chatRoomId

export type RoomReach = Required<Pick<RoomRecord, 'cursor' | 'from' | 'cleared'>>

export function readReach(row: VaultValue): RoomReach {
  const { cursor, from, cleared = 0 } = jsonOf(recordShape, row)
  return { cursor, from, cleared }
}

/** Returns undefined for a new room. */
export async function roomRecord(vault: Vault, chatRoomId: string): Promise<RoomRecord | undefined> {
  const row = await vault.get('sealed', recordKey(chatRoomId))
  return row && jsonOf(recordShape, row)
}

/** Returns the records by room id. */
export async function roomRecords(vault: Vault): Promise<Map<string, RoomRecord>> {
  const rows = await vault.named(RECORDS)
  return new Map(rows.map(({ key, value }) => [key.slice(RECORDS.length), jsonOf(recordShape, value)]))
}

export const recordWrite = (chatRoomId: string, record: RoomRecord): Write => ({
  store: 'sealed',
  key: recordKey(chatRoomId),
  value: { json: record },
})
