import { createHash } from 'node:crypto'
import { vi } from 'vitest'

type Verify = typeof import('@noble/curves/ed25519.js')['ed25519']['verify']

/** What this process has verified. Each file loads its modules anew (`forget.ts`), so the map stands in the process. */
const verified: Map<string, boolean> = (Reflect.get(globalThis, Symbol.for('verified')) as never) ?? new Map()
Reflect.set(globalThis, Symbol.for('verified'), verified)

/** A digest of all that the answer depends on. */
function digestOf(parts: Uint8Array[], rules: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify([rules, ...parts.map(({ length }) => length)]))
  for (const part of parts) hash.update(part)
  return hash.digest('base64')
}

/**
 * Every test verifies the same signature of the same bytes once: its pages read the same few documents again and again, and JavaScript
 * takes milliseconds for each.
 */
vi.mock('@noble/curves/ed25519.js', async (original) => {
  const real = await original<typeof import('@noble/curves/ed25519.js')>()
  const verify: Verify = (signature, message, publicKey, rules) => {
    const digest = digestOf([signature, message, publicKey], rules)
    const holds = verified.get(digest) ?? real.ed25519.verify(signature, message, publicKey, rules)
    verified.set(digest, holds)
    return holds
  }
  return { ...real, ed25519: { ...real.ed25519, verify } }
})
