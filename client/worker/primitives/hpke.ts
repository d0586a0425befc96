import { Aes256Gcm, CipherSuite, HkdfSha256, HkdfSha512 } from '@hpke/core'
import { xWing } from './xwing.ts'

/** HPKE (RFC 9180) for the account's own seals [Note: C3]. */
export const accountSuite = new CipherSuite({ kem: xWing(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** HPKE inside MLS. */
export const mlsSuite = new CipherSuite({ kem: xWing(), kdf: new HkdfSha512(), aead: new Aes256Gcm() })
