import { z } from 'zod'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'

/** From (inclusive), to (exclusive). */
export type Range = [from: number, to: number]

/** More are asked for in another round. */
export const RANGES_MAX = 1000
const CHUNKS_MAX = chunksOf(TRANSFER_LIMITS.fileBytes)
const TEXT_MAX = 48 * 1024

const count = z.number().int().min(0).max(CHUNKS_MAX)
/** In order, none twice. */
const ranges = z
  .array(z.custom<Range>((one) => Array.isArray(one) && one.length === 2 && one.every((at) => count.safeParse(at).success)))
  .max(RANGES_MAX)
  .refine((list) => list.every(([from, to], at) => from < to && from >= (list[at - 1]?.[1] ?? 0)))
const one = { transferId: z.uuid() }

// The first three have the specification's names and fields.
const shape = z.discriminatedUnion('type', [
  z.object({
    ...{ type: z.literal('file-offer'), ...one, fileName: z.string().max(SAID.nameMax) },
    ...{ fileSize: z.number().int().min(1).max(TRANSFER_LIMITS.fileBytes), totalChunks: count },
  }),
  /** `have`: chunks that are at the receiver. */
  z.object({ type: z.literal('file-accept'), ...one, have: count, need: ranges }),
  z.object({ type: z.literal('file-missing'), ...one, have: count, ranges }),
  /** What the first `rounds` of accept and missing asked for was sent. */
  z.object({ type: z.literal('file-done'), ...one, rounds: z.number().int().min(0) }),
  z.object({ type: z.literal('file-pause'), ...one, isPaused: z.boolean() }),
  z.object({ type: z.literal('file-decline'), ...one }),
  z.object({ type: z.literal('file-cancel'), ...one }),
])
export type ControlMessage = z.infer<typeof shape>

/** undefined: no such message, of another transfer, or beyond its chunks. */
export function readControl(text: string, transferId: string, totalChunks: number): ControlMessage | undefined {
  if (text.length > TEXT_MAX) return undefined
  const message = shape.safeParse(parsed(text)).data
  if (!message || message.transferId !== transferId) return undefined
  const asked = message.type === 'file-accept' ? message.need : message.type === 'file-missing' ? message.ranges : []
  return (asked.at(-1)?.[1] ?? 0) <= totalChunks ? message : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const FLOOD_MAX = 200
const FLOOD_MS = 10_000

/** False: more came than an honest end says. */
export function countMessages(now: () => number): () => boolean {
  let since = now()
  let heard = 0
  return () => {
    if (now() - since > FLOOD_MS) {
      since = now()
      heard = 0
    }
    heard += 1
    return heard <= FLOOD_MAX
  }
}
