import { z } from 'zod'
import { LIMITS } from '../ground/limits.ts'
import { base64, boundedRecord, counterShape, signedName } from '../ground/shapes.ts'

/** The id of a device: 16 random bytes in hex. */
export const deviceId = z.string().regex(/^[0-9a-f]{32}$/)

/** Fills `addedAt` of a device whose time is in its sealed name, because older builds require a time there. */
export const ADDED_AT_SEALED = '1970-01-01T00:00:00.000Z'

/** The JSON content of a signed manifest [Note: D1]. Unknown fields from newer builds are kept [Note: F2]. */
export const manifestShape = z.looseObject({
  v: z.literal(1),
  version: z.number().int().positive(),
  identityKey: base64(32),
  devices: z
    .array(
      z.looseObject({
        id: deviceId,
        sealedName: base64(512),
        leafKey: base64(32),
        sealingKey: base64(1216),
        addedAt: z.iso.datetime(),
      }),
    )
    .max(LIMITS.devicesMax),
  removed: z.array(deviceId).max(LIMITS.devicesRemovedMax),
  /** The manifest version that removed each device, by device id; absent for a device that an older build removed. */
  removedAt: boundedRecord(deviceId, counterShape.positive(), LIMITS.devicesRemovedMax).optional(),
  historyKeyId: z.number().int().positive(),
  historyKey: base64(1216),
  /** If false, nobody seals archive keys to this account, and the server stores none for it [Note: H1]. */
  keepsHistory: z.boolean().default(true),
  keyringVersion: z.number().int().positive(),
  /** The account's username. Older manifests lack it until a way in is next opened; then it never changes [Note: I3]. */
  username: signedName.optional(),
})
export type Manifest = z.infer<typeof manifestShape>

/** The JSON content of a signed keyring [Note: K1]. Unknown fields from newer builds are kept [Note: F2]. */
export const keyringShape = z.looseObject({
  v: z.literal(1),
  version: z.number().int().positive(),
  identityKey: base64(32),
  /** {identity seed, history private keys, public keys of the ways}, AES-256-GCM under the account key. */
  sealed: base64(LIMITS.keyringBytes),
  ways: z
    .array(
      z.looseObject({
        /** `password`, `kit`, or `passkey:` followed by the credential's id in base64url. */
        id: z.string().max(400),
        /** `password`, `kit` or `passkey`. Newer builds may add other kinds. */
        kind: z.string().max(40),
        madeAt: z.iso.datetime().optional(),
        publicKey: base64(1216),
        /** The account key, sealed to this way in. */
        sealedKey: base64(2048),
      }),
    )
    .min(1)
    .max(16),
})
export type Keyring = z.infer<typeof keyringShape>
