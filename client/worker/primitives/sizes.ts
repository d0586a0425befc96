import type { Bytes } from '../../../contract/ground/bytes.ts'

// Lengths [Note: C1]. The compiler does not check them: measure what comes from outside.

export type Bytes32 = Bytes
export type Bytes64 = Bytes
/** 1216 bytes. */
export type XWingPublicKey = Bytes
