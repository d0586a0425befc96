import { Aes256Gcm, CipherSuite, HkdfSha256, HkdfSha512 } from '@hpke/core'
import { xWing } from './xwing.ts'

/** HPKE (RFC 9180) by X-Wing, HKDF-SHA256 and AES-256-GCM: the account's own seals. */
export const accountSuite = new CipherSuite({ kem: xWing(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** The same by HKDF-SHA512: the seals of MLS. */
export const mlsSuite = new CipherSuite({ kem: xWing(), kdf: new HkdfSha512(), aead: new Aes256Gcm() })
