import { createHash, hkdfSync } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import { expect, test, vi } from 'vitest'
import { stretchPassword } from './password.ts'

vi.unmock('hash-wasm')

const salt = Uint8Array.from({ length: 16 }, (_, at) => at)

/** Length-prefixed encoding of protocol P1, written a second time on purpose. */
function fields(...parts: (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

async function independently(username: string, password: string) {
  const root = await hashRaw(password.normalize('NFKC'), {
    algorithm: 2, // Argon2id
    memoryCost: 65536,
    timeCost: 3,
    parallelism: 1,
    outputLen: 32,
    salt: createHash('sha256')
      .update(fields('conclave/salt/v1', username, salt))
      .digest(),
  })
  const derive = (label: string) => Buffer.from(hkdfSync('sha256', root, new Uint8Array(), fields(label), 32))
  return { authSecret: derive('conclave/auth/v1').toString('base64url'), passwordSeed: derive('conclave/password-seed/v1') }
}

test('The browser and the server make the same of a password, with another Argon2 and another HKDF', async () => {
  const mine = await stretchPassword('Alice', 'corréct hórse ﬁ 🐴', salt)
  const theirs = await independently('alice', 'corréct hórse fi 🐴')
  expect(mine.authSecret).toBe(theirs.authSecret)
  expect(mine.authSecret).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(Buffer.from(mine.passwordSeed)).toEqual(theirs.passwordSeed)
})

test('The same password of another person, or under another salt, is another secret', async () => {
  const alice = await stretchPassword('alice', 'same words', salt)
  const bob = await stretchPassword('bob', 'same words', salt)
  const later = await stretchPassword('alice', 'same words', salt.slice().reverse())
  expect(new Set([alice.authSecret, bob.authSecret, later.authSecret])).toHaveProperty('size', 3)
})

test('What the server sees of a password says nothing of the seed that opens the keyring', async () => {
  const { authSecret, passwordSeed } = await stretchPassword('alice', 'same words', salt)
  expect(Buffer.from(authSecret, 'base64url')).not.toEqual(Buffer.from(passwordSeed))
})

test('a server that hands out a salt of another size weakens nothing: the password is not even stretched', async () => {
  for (const size of [0, 3, 15, 17]) {
    await expect(stretchPassword('alice', 'correct horse', new Uint8Array(size)), `${size} bytes`).rejects.toThrow('wrong size')
  }
})
