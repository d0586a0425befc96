import { z } from 'zod'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'

interface HeldKeyPackage {
  keyPackage: Uint8Array
  secret: Uint8Array
  isLastResort: boolean
}

const rowShape = z.looseObject({ isLastResort: z.boolean(), keyPackage: z.string() })
export const rowOf = (reference: Uint8Array) => `key-package:${toBase64(reference)}`

/** undefined: not made here, or spent. */
export async function keyPackageHeld({ vault }: Live, reference: Uint8Array): Promise<HeldKeyPackage | undefined> {
  const row = await vault.get('sealed', rowOf(reference))
  if (!row?.bytes) return undefined
  const { isLastResort, keyPackage } = jsonOf(rowShape, row)
  return { isLastResort, secret: row.bytes, keyPackage: fromBase64(keyPackage) }
}

/** Danger: write it in one transaction with the group that the package opened. */
export const keyPackageSpent = (reference: Uint8Array): Write => ({ store: 'sealed', key: rowOf(reference), value: null })
