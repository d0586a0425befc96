import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import { LIMITS } from '../../contract/limits.ts'
import { type LeafDevice, makeKeyPackage } from './joining.ts'
import { type Live, leafDevice } from './live.ts'
import { sha256 } from './seal.ts'
import type { Write } from './vault.ts'

export interface HeldKeyPackage {
  /** The row in the vault. */
  row: string
  keyPackage: Uint8Array
  secret: Uint8Array
  isLastResort: boolean
}

export interface PublicKeyPackages {
  oneTime: string[]
  lastResort?: string
}

const PREFIX = 'key-package:'

/** Key packages of a device: the public halves for the server, the secrets for the vault [Note: R5]. */
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
      key: PREFIX + toBase64(sha256('conclave/key-package/v1', keyPackage)),
      value: { json: { isLastResort, keyPackage: toBase64(keyPackage) }, bytes: secret },
    })
  }
  return { shared, writes }
}

/** Makes and keeps what the server is short of. */
export async function refillKeyPackages(
  live: Live,
  left: { oneTime: number; hasLastResort: boolean },
): Promise<PublicKeyPackages | null> {
  if (left.oneTime >= LIMITS.keyPackagesLow && left.hasLastResort) return null
  const made = await newKeyPackages(leafDevice(live), LIMITS.keyPackagesOneTime - left.oneTime, !left.hasLastResort)
  await live.vault.write(made.writes)
  return made.shared
}

/** Every key package whose secret this device holds. */
export async function keyPackagesHeld({ vault }: Live): Promise<HeldKeyPackage[]> {
  const held: HeldKeyPackage[] = []
  for (const { key, value } of await vault.all('sealed')) {
    if (!key.startsWith(PREFIX) || !value.bytes) continue
    const { isLastResort, keyPackage } = value.json as { isLastResort: boolean; keyPackage: string }
    held.push({ row: key, isLastResort, secret: value.bytes, keyPackage: fromBase64(keyPackage) })
  }
  return held
}
