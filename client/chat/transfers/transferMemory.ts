import { z } from 'zod'
import { memoryKey } from './memoryKey.ts'

// What a reload must not lose, and no other browser knows: by transfer, without a name or a person.

const shape = z.record(
  z.uuid(),
  z
    .object({
      /** The newest: older ones are refused. */
      attempt: z.number().int().nonnegative(),
      isPaused: z.boolean(),
      allowsDirect: z.boolean(),
      leavesTor: z.boolean(),
      /** The server may know the offer, and the outbox has no message of it. */
      isMessageOwed: z.boolean(),
      /** The file is whole, and the server has not heard it. */
      isEndOwed: z.boolean(),
    })
    .partial(),
)
type Memory = z.infer<typeof shape>
type Remembered = Memory[string]

function readAll(): Memory {
  try {
    return shape.safeParse(JSON.parse(localStorage.getItem(memoryKey()) ?? '{}')).data ?? {}
  } catch {
    return {}
  }
}

function writeAll(memory: Memory): void {
  try {
    if (Object.keys(memory).length === 0) localStorage.removeItem(memoryKey())
    else localStorage.setItem(memoryKey(), JSON.stringify(memory))
  } catch {
    // Storage is blocked: a reload begins anew.
  }
}

export const remembered = (transferId: string): Remembered => readAll()[transferId] ?? {}

export function remember(transferId: string, to: Remembered): void {
  const memory = readAll()
  writeAll({ ...memory, [transferId]: { ...memory[transferId], ...to } })
}

export function forgetTransfer(transferId: string): void {
  const { [transferId]: _, ...others } = readAll()
  writeAll(others)
}

export const rememberedIds = (): string[] => Object.keys(readAll())
