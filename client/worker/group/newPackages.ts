import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { LeafDevice } from '../keys/identity.ts'
import { type Live, leafDevice } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { keyPackageRef, makeKeyPackage } from './joining.ts'
import { rowOf } from './keypackages.ts'

interface PublicKeyPackages {
  oneTime: string[]
  lastResort?: string
}

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
