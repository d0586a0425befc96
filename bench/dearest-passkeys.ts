import { PASSKEY_LIMITS } from '../contract/account/assertion.ts'
import { passkeysApi } from '../contract/account/passkeys.ts'
import { newAuthenticator } from '../server/testing/authenticator.ts'
import { signedChange, withPasskey } from '../server/testing/keys.ts'
import { newAuthSecret, type Person } from '../server/testing/person.ts'
import { base64, greatest, type Request, type Scene } from './scene.ts'

const passkeyOf = ({ origin = '', id }: Person) => newAuthenticator(origin, id)

/** Somebody with the longest documents and as many passkeys as may be, less `left`. */
async function withMany({ newcomer, grow }: Scene, left = 0): Promise<Person> {
  const person = await newcomer()
  await grow(person)
  for (let count = left; count < PASSKEY_LIMITS.max; count++) await person.addsPasskey(passkeyOf(person))
  return person
}

/** Of each call about passkeys what costs the server most. */
export const PASSKEYS: Record<string, Record<string, Request>> = {
  'POST /api/login/passkey/options': { 'nothing in it': async ({ stranger }) => ({ who: stranger(), input: {} }) },
  'POST /api/login/passkey': {
    'a right passkey': async ({ newcomer, stranger }) => {
      const [person, who] = [await newcomer(), stranger()]
      const passkey = passkeyOf(person)
      await person.addsPasskey(passkey)
      const { challenge } = await who.does(passkeysApi.loginChallenge, {})
      return { who, input: { assertion: passkey.asserts(challenge) } }
    },
  },
  'GET /api/passkeys': { 'as many as may be': async (scene) => ({ who: await withMany(scene), input: {} }) },
  'POST /api/passkeys/options': { 'nothing in it': async ({ alice }) => ({ who: alice, input: {} }) },
  'POST /api/passkeys': {
    'the last that may be, with the longest documents': async (scene) => {
      const person = await withMany(scene, 1)
      const passkey = passkeyOf(person)
      const { challenge } = await person.does(passkeysApi.challenge, {})
      const keys = signedChange(person.identity, greatest(withPasskey(person.identity, passkey.id)))
      return { who: person, input: { ...passkey.registers(challenge), name: 'x'.repeat(PASSKEY_LIMITS.nameMax), keys } }
    },
    'an attestation as long as may be': async ({ alice }) => {
      const { challenge } = await alice.does(passkeysApi.challenge, {})
      const attestationObject = Buffer.from(base64(16 * 1024), 'base64').toString('base64url')
      return { who: alice, input: { ...passkeyOf(alice).registers(challenge), attestationObject, name: 'x' } }
    },
  },
  'POST /api/passkeys/rename': {
    'one of as many as may be': async (scene) => {
      const person = await withMany(scene)
      const [first] = await person.does(passkeysApi.list, {})
      return { who: person, input: { id: first?.id, name: 'y'.repeat(PASSKEY_LIMITS.nameMax) } }
    },
  },
  'POST /api/passkeys/remove': {
    'one of as many as may be': async (scene) => {
      const person = await withMany(scene)
      const [first] = await person.does(passkeysApi.list, {})
      return { who: person, input: { id: first?.id } }
    },
  },
  'PUT /api/biometric': {
    'with a passkey and a kit': async ({ newcomer }) => {
      const person = await newcomer()
      await person.changesKeys({ adds: ['kit'] }, { kitSecret: newAuthSecret() })
      await person.addsPasskey(passkeyOf(person))
      return { who: person, input: { enabled: true } }
    },
  },
}
