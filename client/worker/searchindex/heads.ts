import { z } from 'zod'
import type { Parsed } from '../vault/openOnce.ts'
import { RECORDS, type RoomReach, readReach } from '../vault/storedRoom.ts'
import type { Vault, Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import type { SegmentMark } from './segments.ts'

export interface Head {
  format: number
  first: number
  last: number
  next: number
  /** Oldest first; older builds write less. */
  segments: HeadSegment[]
}

type HeadSegment = Pick<SegmentMark, 'number' | 'version'> & Partial<SegmentMark>

const headShape: z.ZodType<Head> = z.object({
  format: z.number(),
  first: z.number(),
  last: z.number(),
  next: z.number(),
  segments: z.array(
    z.object({
      number: z.number(),
      version: z.number(),
      first: z.number().exactOptional(),
      newestAt: z.number().exactOptional(),
    }),
  ),
})

const HEADS = 'searchhead:'

interface Rows {
  heads: Map<string, Parsed<Head>>
  reaches: Map<string, Parsed<RoomReach>>
}

const memory = new WeakMap<Vault, Rows>()

export async function readHeads(vault: Vault) {
  const kept = memory.get(vault)
  const [heads, reaches] = await Promise.all([
    vault.parsed(HEADS, (row) => jsonOf(headShape, row), kept?.heads),
    vault.parsed(RECORDS, readReach, kept?.reaches),
  ])
  memory.set(vault, { heads, reaches })
  return {
    head: (chatRoomId: string): Head | undefined => heads.get(HEADS + chatRoomId)?.value,
    reach: (chatRoomId: string): RoomReach | undefined => reaches.get(RECORDS + chatRoomId)?.value,
  }
}

export const headWrite = (chatRoomId: string, head: Head): Write => ({
  store: 'sealed',
  key: `${HEADS}${chatRoomId}`,
  value: { json: head },
})
