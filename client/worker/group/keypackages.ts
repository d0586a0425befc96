import { z } from 'zod'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { LeafDevice } from '../keys/identity.ts'
import { type Live, leafDevice } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { keyPackageRef, makeKeyPackage } from './joining.ts'

interface HeldKeyPackage {
  keyPackage: Uint8Array
  secret: Uint8Array
  isLastResort: boolean
}

interface PublicKeyPackages {
  oneTime: string[]
  lastResort?: string
}

const rowShape = z.looseObject({ isLastResort: z.boolean(), keyPackage: z.string() })
const rowOf = (reference: Uint8Array) => `key-package:${toBase64(reference)}`

/** `shared`: for the server. `writes`: the secrets, for the vault [Note: R5]. */
export async function newKeyPackages(
  device: LeafDevice,
  count: number,
  withLastResort: boolean,
): Promise<{ shared: PublicKeyPackages; writes: Write[] }> {
  const shared: PublicKeyPackages = { oneTime: [] }
  const writes: Write[] = []
  for (let made = withLastResort ? -1 : 0; made < count; made++) {
    const isLastResort = made === -1
    const { keyPackage, secret } = await makeKeyPackage(device, isLastResort, new Date())
    if (isLastResort) shared.lastResort = toBase64(keyPackage)
    else shared.oneTime.push(toBase64(keyPackage))
    writes.push({
      store: 'sealed',
      key: rowOf(await keyPackageRef(keyPackage)),
      value: { json: { isLastResort, keyPackage: toBase64(keyPackage) }, bytes: secret },
    })
  }
  return { shared, writes }
}

/** null: the server has enough. */
export async function refillKeyPackages(
  live: Live,
  left: { oneTime: number; hasLastResort: boolean },
): Promise<PublicKeyPackages | null> {
  if (left.oneTime >= LIMITS.keyPackagesLow && left.hasLastResort) return null
  // The server reports the count, so it is clamped.
  const count = Math.min(LIMITS.keyPackagesOneTime, Math.max(0, LIMITS.keyPackagesOneTime - left.oneTime))
  const made = await newKeyPackages(leafDevice(live), count, !left.hasLastResort)
  await live.vault.write(made.writes)
  return made.shared
}

/** undefined: not made here, or spent. */
export async function keyPackageHeld({ vault }: Live, reference: Uint8Array): Promise<HeldKeyPackage | undefined> {
  const row = await vault.get('sealed', rowOf(reference))
  if (!row?.bytes) return undefined
  const { isLastResort, keyPackage } = jsonOf(rowShape, row)
  return { isLastResort, secret: row.bytes, keyPackage: fromBase64(keyPackage) }
}

/** Danger: write it in one transaction with the group that the package opened. */
export const keyPackageSpent = (reference: Uint8Array): Write => ({ store: 'sealed', key: rowOf(reference), value: null })
