import { expect, test } from 'vitest'
import { type Change, type Leaf, refusalOf } from './commitRules.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const member = (leafIndex: number, account: number, deviceId: string): Leaf => ({
  leafIndex,
  accountKey: key(account),
  deviceId,
  leafKey: key(100 + leafIndex),
})

const ALICE = 1
const BOB = 2
const EVE = 3
const [phone, tablet, bobs] = [member(0, ALICE, 'phone'), member(1, ALICE, 'tablet'), member(2, BOB, 'bobs')]
const members = [phone, tablet, bobs]
const laptop = { ...member(-1, ALICE, 'laptop'), leafKey: key(50) }
const nothing = { isExternal: false, adds: [], removes: [], externalInits: 0, others: [] }
const renewal: Change = { ...nothing, committer: phone, path: phone }
const entry: Change = { ...nothing, isExternal: true, externalInits: 1, committer: laptop, path: laptop }

const refusal = (change: Change, unlisted: string[] = []) =>
  refusalOf(change, members, [key(ALICE), key(BOB)], { isListed: (_, deviceId) => !unlisted.includes(deviceId) })

test.each<[string, Change, string[]]>([
  ['renewing keys', renewal, []],
  ['renewing the keys of a removed device, which may be removed next', renewal, ['phone']],
  ['adding a device of the own account', { ...renewal, path: 'absent', adds: [laptop] }, []],
  ['removing a device of the own account', { ...renewal, removes: [1] }, []],
  ["removing a contact's device that its list has dropped", { ...renewal, removes: [2] }, ['bobs']],
  ['a new device coming in', entry, []],
  ['a device taking its old place', { ...entry, committer: { ...tablet, leafIndex: -1 }, path: tablet, removes: [1] }, []],
])('Allowed: %s', (_, change, unlisted) => {
  expect(refusal(change, unlisted)).toBeUndefined()
})

test.each<[string, Change, string[], string]>([
  ['a proposal of another kind', { ...renewal, others: ['psk'] }, [], 'not allowed'],
  ['an author who is nobody', { ...renewal, committer: undefined }, [], 'does not belong'],
  ['an author of a third account', { ...entry, committer: member(-1, EVE, 'eve') }, [], 'does not belong'],
  ['an empty commit without new keys', { ...renewal, path: 'absent' }, [], 'renew'],
  ['a removal without new keys', { ...renewal, path: 'absent', removes: [1] }, [], 'renew'],
  ['new keys whose credential does not hold', { ...renewal, path: undefined }, [], 'changes identity'],
  ['new keys of another device', { ...renewal, path: tablet }, [], 'changes identity'],
  ['a member that comes in from outside', { ...renewal, externalInits: 1 }, [], 'pretends'],
  ['coming in twice over', { ...entry, externalInits: 2 }, [], 'more than its own place'],
  ['coming in with a friend', { ...entry, adds: [{ ...laptop, deviceId: 'watch' }] }, [], 'more than its own place'],
  ['coming in for two', { ...entry, removes: [0, 1] }, [], 'more than its own place'],
  ["coming in for a contact's device", { ...entry, removes: [2] }, ['bobs'], 'somebody else’s'],
  ['coming in unlisted', entry, ['laptop'], 'does not list'],
  ['coming in beside the own old place', { ...entry, committer: { ...laptop, deviceId: 'tablet' } }, [], 'twice'],
  ['coming in under a leaf key that is there', { ...entry, committer: { ...laptop, leafKey: tablet.leafKey } }, [], 'twice'],
  ["removing a contact's listed device", { ...renewal, removes: [2] }, [], 'somebody else’s'],
  ['removing an empty place', { ...renewal, removes: [7] }, [], 'removes nobody'],
  ['removing the same place twice', { ...renewal, removes: [1, 1] }, [], 'removes nobody'],
  ['a removed device removing others', { ...renewal, removes: [1] }, ['phone'], 'removed device'],
  ["adding a contact's device", { ...renewal, adds: [member(-1, BOB, 'new')] }, [], 'not its author’s'],
  ['adding a device whose credential does not hold', { ...renewal, adds: [undefined] }, [], 'not its author’s'],
  ['adding an unlisted device', { ...renewal, adds: [laptop] }, ['laptop'], 'does not list'],
  ['adding one device twice', { ...renewal, adds: [laptop, laptop] }, [], 'twice'],
])('Refused: %s', (_, change, unlisted, reason) => {
  expect(refusal(change, unlisted)).toContain(reason)
})
