import {
  acceptAll,
  type CiphersuiteImpl,
  type ClientConfig,
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  createProposal,
  decodeMlsMessage,
  defaultKeyPackageEqualityConfig,
  defaultKeyRetentionConfig,
  emptyPskIndex,
  encodeMlsMessage,
  encodeRequiredCapabilities,
  generateKeyPackageWithKey,
  joinGroup,
  joinGroupExternal,
  type LeafNode,
  type MLSMessage,
  type Proposal,
  processMessage,
  zeroOutUint8Array,
} from 'ts-mls'
import { beforeAll, describe, expect, test } from 'vitest'
import { concat, encodeFields, fromUtf8, sameBytes, utf8 } from '../../../contract/ground/bytes.ts'
import { makeCredential, newDevice, newIdentity } from '../keys/newidentity.ts'
import { openWith, sealWith } from '../primitives/seal.ts'
import { applyCommit, commitEmpty } from './commits.ts'
import { createRoomGroup, groupInfoMembers, joinByWelcome, makeKeyPackage } from './joining.ts'
import { exportSecret, type Group, groupInfoOf, members, readGroup, writeGroup } from './mls.ts'
import { capabilities, configOf, suite } from './suite.ts'
import { type Browser, enters, flip, houseOf, newBrowser, none, now, room, type Seat, seat } from './testing.ts'

// Each attack runs twice: against the unmodified library, where it succeeds, and against our client. Eve is the author of the
// attack.

let cs: CiphersuiteImpl
beforeAll(async () => {
  cs = await suite()
})

const refused = { code: 'commit_refused' }
const leafOf = (at: Seat, { browser }: Seat) => members(at.group).find(({ deviceId }) => deviceId === browser.id)?.leafIndex ?? -1
const hasLeaf = (state: ClientState, { browser }: Seat) =>
  state.ratchetTree.some((node) => node?.nodeType === 'leaf' && sameBytes(node.leaf.signaturePublicKey, browser.leafKey))
const wire = (message: MLSMessage) => concat(encodeMlsMessage(message))

function parsed(bytes: Uint8Array): MLSMessage {
  const decoded = decodeMlsMessage(bytes, 0)
  if (!decoded) throw new Error('No MLS message')
  return decoded[0]
}

/** The library with its default settings. */
const naive = (group: Group): ClientState => ({
  ...group,
  clientConfig: { ...group.clientConfig, keyRetentionConfig: defaultKeyRetentionConfig },
})

async function naivelyTake(state: ClientState, bytes: Uint8Array) {
  const message = parsed(bytes)
  if (message.wireformat !== 'mls_public_message' && message.wireformat !== 'mls_private_message')
    throw new Error('Not to be processed')
  return await processMessage(message, state, emptyPskIndex, acceptAll, cs)
}

/** Creates a commit that our client would never make. */
async function forge(by: Seat, extraProposals: Proposal[], as: CiphersuiteImpl = cs): Promise<Uint8Array> {
  const made = await createCommit({ state: by.group, cipherSuite: as }, { extraProposals, wireAsPublicMessage: true })
  return wire(made.commit)
}

async function untouched(at: Seat, attempt: () => Promise<unknown>, failure: object) {
  const before = writeGroup(at.group)
  await expect(attempt()).rejects.toMatchObject({ name: 'CryptoFailure', ...failure })
  expect(writeGroup(at.group)).toEqual(before)
}

const remove = (removed: number): Proposal => ({ proposalType: 'remove', remove: { removed } })

async function keyPackageOf({ leafSeed, leafKey, credential }: Browser) {
  const keys = { signKey: leafSeed, publicKey: leafKey }
  const lifetime = { notBefore: 0n, notAfter: 2n ** 40n }
  return await generateKeyPackageWithKey(
    { credentialType: 'basic', identity: credential },
    capabilities(),
    lifetime,
    [],
    keys,
    cs,
  )
}

/** Creates an external commit that removes `victim`. */
async function forgeEntry(browser: Browser, groupInfo: Uint8Array, config: ClientConfig, victim?: Seat): Promise<Uint8Array> {
  const message = parsed(groupInfo)
  if (message.wireformat !== 'mls_group_info') throw new Error('No GroupInfo')
  const isVictim = (_: unknown, leaf: LeafNode) =>
    victim !== undefined && sameBytes(leaf.signaturePublicKey, victim.browser.leafKey)
  const keyPackageEqualityConfig = { ...defaultKeyPackageEqualityConfig, compareKeyPackageToLeafNode: isVictim }
  const { publicPackage, privatePackage } = await keyPackageOf(browser)
  const evil = { ...config, keyPackageEqualityConfig }
  const resync = victim !== undefined
  const joined = await joinGroupExternal(message.groupInfo, publicPackage, privatePackage, resync, cs, undefined, evil)
  return wire({ version: 'mls10', wireformat: 'mls_public_message', publicMessage: joined.publicMessage })
}

describe('Messages', () => {
  test('260 lost typing frames do not make the next message unreadable', async () => {
    const { alice, bob } = await room()
    const naiveAlice = { state: naive(alice.group) }
    for (let at = 0; at < 260; at++)
      naiveAlice.state = (await createApplicationMessage(naiveAlice.state, utf8('typing'), cs)).newState
    const { privateMessage } = await createApplicationMessage(naiveAlice.state, utf8('durable'), cs)
    const durable = wire({ version: 'mls10', wireformat: 'mls_private_message', privateMessage })
    await expect(naivelyTake(naive(bob.group), durable)).rejects.toThrow('too far in the future')

    const before = writeGroup(alice.group)
    const frameKey = await exportSecret(alice.group, 'conclave/frame/v1', none)
    let last = none
    for (let at = 0; at < 260; at++) last = await sealWith(frameKey, 'conclave/frame/v1', utf8('typing'))
    expect(writeGroup(alice.group)).toEqual(before)
    const bobsFrameKey = await exportSecret(bob.group, 'conclave/frame/v1', none)
    expect(fromUtf8(await openWith(bobsFrameKey, 'conclave/frame/v1', last))).toBe('typing')
    expect(await bob.reads(await alice.says('durable'))).toBe('durable')
  })

  test('A message of an old epoch is not accepted after a device was removed', async () => {
    const { alice, alice2, bob } = await room()
    const removal = await forge(alice, [remove(leafOf(alice, alice2))])
    const late = await bob.says('Bob has not heard of the removal')
    const advanced = await naivelyTake(naive(bob.group), removal)
    const other = (await createApplicationMessage(naive(alice2.group), utf8('from the stolen tablet'), cs)).privateMessage
    const stolen = wire({ version: 'mls10', wireformat: 'mls_private_message', privateMessage: other })
    expect(await naivelyTake(advanced.newState, stolen)).toMatchObject({ kind: 'applicationMessage' })

    await bob.takes(removal)
    expect(bob.group.historicalReceiverData.size).toBe(0)
    await untouched(bob, () => bob.reads(stolen), { code: 'epoch' })
    await untouched(bob, () => bob.reads(late), { code: 'epoch' })
  })

  test('The library, told to keep 0 epochs, keeps all of them: ours keeps none', async () => {
    const { alice, bob } = await room()
    const zero = {
      ...naive(alice.group).clientConfig,
      keyRetentionConfig: { ...defaultKeyRetentionConfig, retainKeysForEpochs: 0 },
    }
    let state: ClientState = { ...alice.group, clientConfig: zero }
    for (let at = 0; at < 8; at++) {
      state = (await createCommit({ state, cipherSuite: cs })).newState
      await bob.takes(await alice.renews())
    }
    expect(state.historicalReceiverData.size).toBe(8)
    expect(alice.group.historicalReceiverData.size).toBe(0)
    expect(bob.group.historicalReceiverData.size).toBe(0)
  })

  test('Old keys are not wiped before the new state is stored, so a crash never seals under a known key', async () => {
    const { alice, bob } = await room()
    const state = readGroup(writeGroup(alice.group), alice.house.accounts)
    const first = await createApplicationMessage(state, utf8('one'), cs)
    first.consumed.forEach(zeroOutUint8Array)
    expect(state.secretTree[0]?.application.secret.every((byte) => byte === 0)).toBe(true)
    await expect(createApplicationMessage(state, utf8('under a key of zeros'), cs)).resolves.toBeDefined()

    const before = writeGroup(alice.group)
    const stored = alice.group
    const message = await alice.says('one')
    expect(writeGroup(stored)).toEqual(before)
    expect(await bob.reads(message)).toBe('one')
    const opened = bob.group
    const after = writeGroup(opened)
    await bob.takes(await alice.renews())
    expect(writeGroup(opened)).toEqual(after)
  })

  test('Two messages sealed at once do not swallow each other: the second is stopped before it leaves', async () => {
    const { alice, bob } = await room()
    const state = naive(alice.group)
    const twins = await Promise.all(['p', 'q'].map((text) => createApplicationMessage(state, utf8(text), cs)))
    const [p, q] = twins.map(({ privateMessage }) =>
      wire({ version: 'mls10', wireformat: 'mls_private_message', privateMessage }),
    )
    const { newState } = await naivelyTake(naive(bob.group), p ?? none)
    await expect(naivelyTake(newState, q ?? none)).rejects.toThrow('in the past')

    const { group } = alice
    const ours = [seat(alice.browser, group, alice.house), seat(alice.browser, group, alice.house)].map((one, at) =>
      one.says(`${at}`),
    )
    const [one, two] = await Promise.allSettled(ours)
    expect(two).toMatchObject({ status: 'rejected', reason: { code: 'spent' } })
    expect(one?.status === 'fulfilled' && (await bob.reads(one.value))).toBe('0')
  })

  test('A browser that was rolled back sees in the log that it was', async () => {
    const { alice, bob } = await room()
    const snapshot = writeGroup(alice.group)
    const first = await alice.says('one')
    alice.group = readGroup(snapshot, alice.house.accounts)
    await expect(alice.reads(first)).rejects.toMatchObject({ code: 'own_message' })
    // A message sent in spite of this is lost, which is why a device reads the log first.
    const second = await alice.says('two')
    await bob.reads(first)
    await expect(bob.reads(second)).rejects.toMatchObject({ code: 'mls' })
    const back = await enters(alice.browser, await groupInfoOf(bob.group), alice.house, alice.browser.leafKey)
    await bob.takes(back.commit)
    expect(await bob.reads(await back.seat.says('three'))).toBe('three')
  })

  test('Data beside a message is seen by everybody on the way, and cannot be changed', async () => {
    const { alice, bob } = await room()
    const message = await alice.says('hello', utf8('bound to this body'))
    const at = Buffer.from(message).indexOf('bound to this body')
    expect(at).toBeGreaterThan(0)
    await untouched(bob, () => bob.reads(flip(message, at * 8)), { code: 'mls' })
    expect(await bob.reads(message)).toBe('hello')
  })

  test('A message with any bit turned, cut or continued is never accepted, nor a commit', async () => {
    const { alice, bob } = await room()
    const message = await alice.says('exactly this', utf8('and this'))
    const { commit } = await commitEmpty({ group: alice.group, authData: utf8('and that') })
    const at = { ...bob }
    for (let turn = 0; turn < 200; turn++) {
      const bit = Math.floor((turn * message.length * 8) / 200)
      await expect(at.reads(flip(message, bit + (turn % 8)))).rejects.toMatchObject({ name: 'CryptoFailure' })
      if (turn % 4 > 0) continue
      const place = Math.floor((turn * commit.length * 8) / 200)
      await expect(at.takes(flip(commit, place))).rejects.toMatchObject({ name: 'CryptoFailure' })
    }
    for (const odd of [concat(message, Uint8Array.of(0)), message.slice(0, -1), none]) {
      await expect(at.reads(odd)).rejects.toMatchObject({ code: 'mls' })
    }
    // The library ignores bytes after the end.
    expect(await naivelyTake(naive(bob.group), concat(message, Uint8Array.of(0)))).toMatchObject({ kind: 'applicationMessage' })
    expect(await bob.reads(message)).toBe('exactly this')
  })
})

describe('Commits', () => {
  test("A contact cannot remove my device, unless my account's list has dropped it", async () => {
    const { alice, alice2, bob, house } = await room()
    const commit = await forge(bob, [remove(leafOf(bob, alice2))])
    expect(hasLeaf((await naivelyTake(naive(alice.group), commit)).newState, alice2)).toBe(false)

    await untouched(alice, () => alice.takes(commit), refused)
    house.unlisted.add(alice2.browser.id)
    const applied = await alice.takes(commit)
    expect(applied.removed.map(({ deviceId }) => deviceId)).toEqual([alice2.browser.id])
  })

  test("Someone who comes in from outside cannot take a contact's place", async () => {
    const { alice, alice2, bob, house } = await room()
    const evil = await newBrowser(bob.browser.identity)
    const commit = await forgeEntry(evil, await groupInfoOf(bob.group), bob.group.clientConfig, alice2)
    expect(hasLeaf((await naivelyTake(naive(alice.group), commit)).newState, alice2)).toBe(false)

    await untouched(alice, () => alice.takes(commit), refused)
    // An external commit may not even remove an unlisted device: only members may.
    house.unlisted.add(alice2.browser.id)
    await untouched(alice, () => alice.takes(commit), refused)
  })

  test('A stranger does not come in from outside, nor does a device that its account does not list', async () => {
    const { alice, bob, house } = await room()
    const eve = await newBrowser()
    const groupInfo = await groupInfoOf(bob.group)
    const open = configOf([...house.accounts, eve.identity.publicKey])
    const stranger = await forgeEntry(eve, groupInfo, open)
    expect((await naivelyTake({ ...alice.group, clientConfig: open }, stranger)).newState.ratchetTree.length).toBeGreaterThan(5)
    await untouched(alice, () => alice.takes(stranger), refused)

    const unlisted = await newBrowser(bob.browser.identity)
    house.unlisted.add(unlisted.id)
    const entry = await forgeEntry(unlisted, groupInfo, bob.group.clientConfig)
    expect(await naivelyTake(naive(alice.group), entry)).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.takes(entry), refused)
    house.unlisted.delete(unlisted.id)
    expect((await alice.takes(entry)).added).toMatchObject([{ deviceId: unlisted.id }])
  })

  test('A device of mine does not enter twice', async () => {
    const { alice, alice2, bob } = await room()
    const again = { ...alice2.browser, ...(await newDevice()) }
    const browser: Browser = {
      ...again,
      id: alice2.browser.id,
      credential: makeCredential(again.identity.seed, { ...again, id: alice2.browser.id }),
    }
    const commit = await forgeEntry(browser, await groupInfoOf(bob.group), bob.group.clientConfig)
    expect(await naivelyTake(naive(alice.group), commit)).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.takes(commit), refused)
  })

  test('A lone proposal is not taken, so it cannot keep anybody from writing', async () => {
    const { alice, bob } = await room()
    for (const isPublic of [true, false]) {
      const { message } = await createProposal(bob.group, isPublic, remove(leafOf(bob, alice)), cs)
      const { newState } = await naivelyTake(naive(alice.group), wire(message))
      await expect(createApplicationMessage(newState, utf8('hello'), cs)).rejects.toThrow('unapplied proposals')

      await untouched(alice, () => alice.takes(wire(message)), isPublic ? refused : { code: 'mls' })
      await untouched(alice, () => alice.reads(wire(message)), { code: 'mls' })
    }
    expect(await bob.reads(await alice.says('still here'))).toBe('still here')
  })

  test('A commit does not bring proposals by reference, other kinds, or privately', async () => {
    const { alice, alice2, bob, house } = await room()
    const { message, newState } = await createProposal(bob.group, true, remove(leafOf(bob, alice2)), cs)
    const known = (await naivelyTake(naive(alice.group), wire(message))).newState
    const byReference = wire((await createCommit({ state: newState, cipherSuite: cs }, { wireAsPublicMessage: true })).commit)
    expect(await naivelyTake(known, byReference)).toMatchObject({ actionTaken: 'accept' })
    const rules = { isListed: () => false }
    const taking = applyCommit({ group: known, commit: byReference, accounts: house.accounts, rules })
    await expect(taking).rejects.toMatchObject(refused)

    const odd: Proposal[] = [
      { proposalType: 'group_context_extensions', groupContextExtensions: { extensions: [] } },
      { proposalType: 'reinit', reinit: { groupId: none, version: 'mls10', cipherSuite: cs.name, extensions: [] } },
      { proposalType: 0xf001, proposalData: none },
    ]
    for (const proposal of odd) {
      const commit = await forge(bob, [proposal])
      expect(await naivelyTake(naive(alice.group), commit)).toMatchObject({ actionTaken: 'accept' })
      await untouched(alice, () => alice.takes(commit), refused)
    }
    const secret = wire((await createCommit({ state: bob.group, cipherSuite: cs })).commit)
    expect(await naivelyTake(naive(alice.group), secret)).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.takes(secret), { code: 'mls' })
    await untouched(alice, () => alice.reads(secret), { code: 'mls' })
  })

  test('Bob adds his own listed devices, and no others', async () => {
    const { alice, bob, house } = await room()
    const add = async (browser: Browser): Promise<Proposal> => ({
      proposalType: 'add',
      add: { keyPackage: (await keyPackageOf(browser)).publicPackage },
    })
    const forAlice = await newBrowser(alice.browser.identity)
    const foreign = await forge(bob, [await add(forAlice)])
    expect(await naivelyTake(naive(alice.group), foreign)).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.takes(foreign), refused)

    const bobs = await newBrowser(bob.browser.identity)
    const own = await forge(bob, [await add(bobs)])
    house.unlisted.add(bobs.id)
    await untouched(alice, () => alice.takes(own), refused)
    house.unlisted.clear()
    expect((await alice.takes(own)).added).toMatchObject([{ deviceId: bobs.id }])

    const stranger = await makeKeyPackage(await newBrowser(), false, now)
    await expect(bob.changes([], [stranger.keyPackage])).rejects.toMatchObject({ code: 'mls' })
  })

  test('A removed device changes nobody, even of its own account', async () => {
    const { alice, alice2, bob, house } = await room()
    const commit = await forge(alice2, [remove(leafOf(alice2, alice))])
    expect(hasLeaf((await naivelyTake(naive(bob.group), commit)).newState, alice)).toBe(false)
    house.unlisted.add(alice2.browser.id)
    await untouched(bob, () => bob.takes(commit), refused)
    await untouched(alice, () => alice.takes(commit), refused)
    house.unlisted.clear()
    expect((await bob.takes(commit)).removed).toMatchObject([{ deviceId: alice.browser.id }])
  })

  test('A member does not turn into another device while it renews its keys', async () => {
    const { alice, bob } = await room()
    const other = makeCredential(bob.browser.identity.seed, { id: 'ab'.repeat(16), leafKey: concat(bob.browser.leafKey) })
    const ratchetTree = bob.group.ratchetTree.map((node) =>
      node?.nodeType === 'leaf' && sameBytes(node.leaf.signaturePublicKey, bob.browser.leafKey)
        ? { ...node, leaf: { ...node.leaf, credential: { credentialType: 'basic' as const, identity: other } } }
        : node,
    )
    const commit = await forge({ ...bob, group: { ...bob.group, ratchetTree } }, [])
    expect(await naivelyTake(naive(alice.group), commit)).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.takes(commit), refused)
  })

  test('A member that spoils a commit for one device is noticed there, and the device comes in again', async () => {
    const { alice, alice2, bob } = await room()
    const spoil = async (at: number) => {
      let seals = 0
      const seal: CiphersuiteImpl['hpke']['seal'] = async (...input) => {
        const sealed = await cs.hpke.seal(...input)
        return ++seals === at ? { ...sealed, ct: sealed.ct.map((byte) => byte ^ 1) } : sealed
      }
      return await createCommit(
        { state: bob.group, cipherSuite: { ...cs, hpke: { ...cs.hpke, seal } } },
        { wireAsPublicMessage: true },
      )
    }
    const outcomes: string[] = []
    for (const at of [1, 2]) {
      const commit = wire((await spoil(at)).commit)
      for (const one of [alice, alice2]) {
        const before = writeGroup(one.group)
        const taken = await seat(one.browser, one.group, one.house)
          .takes(commit)
          .then(
            () => 'taken',
            (failure) => failure.code,
          )
        expect(writeGroup(one.group)).toEqual(before)
        outcomes.push(taken)
      }
    }
    expect(outcomes).toContain('mls')
    expect(outcomes).toContain('taken')
    const { newState } = await spoil(0)
    const back = await enters(alice.browser, await groupInfoOf(newState), alice.house, alice.browser.leafKey)
    bob.group = newState
    await bob.takes(back.commit)
    expect(await bob.reads(await back.seat.says('here again'))).toBe('here again')
  })

  test("A member that copies somebody's public key into the tree cannot keep later devices out", async () => {
    const { alice, bob } = await room()
    const first = bob.group.ratchetTree[0]
    const copied = first?.nodeType === 'leaf' ? first.leaf.hpkePublicKey : none
    let exports = 0
    const count = async () => {
      const exportPublicKey: CiphersuiteImpl['hpke']['exportPublicKey'] = (key) => {
        exports++
        return cs.hpke.exportPublicKey(key)
      }
      await forge(bob, [], { ...cs, hpke: { ...cs.hpke, exportPublicKey } })
      return exports
    }
    const last = await count()
    let at = 0
    const exportPublicKey: CiphersuiteImpl['hpke']['exportPublicKey'] = async (key) =>
      ++at === last ? copied : await cs.hpke.exportPublicKey(key)
    const commit = await forge(bob, [], { ...cs, hpke: { ...cs.hpke, exportPublicKey } })
    const { newState } = await naivelyTake(naive(alice.group), commit)
    const laptop = await newBrowser(alice.browser.identity)
    await expect(forgeEntry(laptop, await groupInfoOf(newState), alice.group.clientConfig)).rejects.toThrow(
      'hpke keys not unique',
    )

    await untouched(alice, () => alice.takes(commit), { code: 'closes_room' })
  })
})

describe('Coming in', () => {
  test('A contact cannot close the room to later devices by adding one of its own', async () => {
    const { alice, alice2, bob, house } = await room()
    const seats = [alice, alice2, bob]
    for (let at = 3; at < 8; at++) {
      const entered = await enters(await newBrowser(bob.browser.identity), await groupInfoOf(bob.group), house)
      for (const other of seats) await other.takes(entered.commit)
      seats.push(entered.seat)
    }
    const leaving = [alice2, seats[5] ?? bob]
    const staying = seats.filter((one) => !leaving.includes(one))
    const everybodyTakes = (commit: Uint8Array, by: Seat) =>
      Promise.all(staying.filter((one) => one !== by).map((one) => one.takes(commit)))
    await everybodyTakes((await alice.changes([leafOf(alice, alice2)])).commit, alice)
    await everybodyTakes((await bob.changes([leafOf(bob, leaving[1] ?? bob)])).commit, bob)
    for (const one of staying) await everybodyTakes(await one.renews(), one)

    const { publicPackage } = await keyPackageOf(await newBrowser(bob.browser.identity))
    const commit = await forge(bob, [{ proposalType: 'add', add: { keyPackage: publicPackage } }])
    const { newState } = await naivelyTake(naive(alice.group), commit)
    const config = alice.group.clientConfig
    const later = async (state: Group) =>
      await naivelyTake(state, await forgeEntry(await newBrowser(alice.browser.identity), await groupInfoOf(state), config))
    const once = await later(newState)
    await expect(later(once.newState)).rejects.toThrow('unmerged_leaves')

    await untouched(alice, () => alice.takes(commit), { code: 'closes_room' })
    const again = await makeKeyPackage(await newBrowser(alice.browser.identity), false, now)
    await untouched(alice, () => alice.changes([], [again.keyPackage]), { code: 'closes_room' })
    const laptop = await newBrowser(alice.browser.identity)
    const entered = await enters(laptop, await groupInfoOf(alice.group), house)
    expect(await alice.takes(entered.commit)).toMatchObject({ isExternal: true })
  })

  test('One odd device does not keep a new one from joining', async () => {
    const { alice, bob, house } = await room()
    house.unlisted.add(bob.browser.id)
    const groupInfo = await groupInfoOf(alice.group)
    const laptop = await newBrowser(alice.browser.identity)
    const validateCredential = async (_: unknown, key: Uint8Array) => !sameBytes(key, bob.browser.leafKey)
    const strict = { ...alice.group.clientConfig, authService: { validateCredential } }
    await expect(forgeEntry(laptop, groupInfo, strict)).rejects.toThrow('Could not validate credential')

    const entered = await enters(laptop, groupInfo, house)
    await alice.takes(entered.commit)
    await entered.seat.takes((await alice.changes([leafOf(alice, bob)])).commit)
    expect(await alice.reads(await entered.seat.says('in, and Bob is out'))).toBe('in, and Bob is out')
  })

  test('A new browser sees the removed device in a stale GroupInfo before it says a word', async () => {
    const { alice, alice2, bob, house } = await room()
    const stale = await groupInfoOf(alice2.group)
    await bob.takes((await alice.changes([leafOf(alice, alice2)])).commit)
    house.unlisted.add(alice2.browser.id)
    const laptop = await newBrowser(alice.browser.identity)

    const fooled = await enters(laptop, stale, house)
    const thief = await naivelyTake(naive(alice2.group), fooled.commit)
    const read = await naivelyTake(thief.newState, await fooled.seat.says('my new laptop speaks'))
    expect(read.kind === 'applicationMessage' && fromUtf8(read.message)).toBe('my new laptop speaks')

    const shown = await groupInfoMembers(stale)
    expect(shown.epoch).toBeLessThan((await groupInfoMembers(await groupInfoOf(alice.group))).epoch)
    const odd = shown.members.filter(({ accountKey, deviceId, leafKey }) => !house.rules.isListed(accountKey, deviceId, leafKey))
    expect(odd.map(({ deviceId }) => deviceId)).toEqual([alice2.browser.id])
    expect(members(fooled.seat.group).map(({ deviceId }) => deviceId)).toContain(alice2.browser.id)
  })

  test('A forged GroupInfo is refused', async () => {
    const { bob, house } = await room()
    const groupInfo = await groupInfoOf(bob.group)
    const laptop = await newBrowser(bob.browser.identity)
    for (let turn = 0; turn < 40; turn++) {
      const forged = flip(groupInfo, Math.floor((turn * groupInfo.length * 8) / 40))
      await expect(groupInfoMembers(forged)).rejects.toMatchObject({ name: 'CryptoFailure' })
      await expect(enters(laptop, forged, house)).rejects.toMatchObject({ name: 'CryptoFailure' })
    }
    const strangers = houseOf(newIdentity(), bob.browser.identity)
    await expect(enters(laptop, groupInfo, strangers)).rejects.toMatchObject({ code: 'mls' })
  })

  test('A room with rules of its own is not entered', async () => {
    const [alice, bob] = [await newBrowser(), await newBrowser()]
    const { accounts, groupId } = houseOf(alice.identity, bob.identity)
    const capable = { extensionTypes: [], proposalTypes: [], credentialTypes: ['basic' as const] }
    const extension = { extensionType: 'required_capabilities' as const, extensionData: encodeRequiredCapabilities(capable) }
    const { publicPackage, privatePackage } = await keyPackageOf(alice)
    const alone = await createGroup(groupId, publicPackage, privatePackage, [extension], cs, configOf(accounts))
    const held = await keyPackageOf(bob)
    const extraProposals: Proposal[] = [{ proposalType: 'add', add: { keyPackage: held.publicPackage } }]
    const made = await createCommit({ state: alone, cipherSuite: cs }, { extraProposals, ratchetTreeExtension: true })
    if (!made.welcome) throw new Error('No Welcome')
    const config = configOf(accounts)
    const joining = joinGroup(
      made.welcome,
      held.publicPackage,
      held.privatePackage,
      emptyPskIndex,
      cs,
      undefined,
      undefined,
      config,
    )
    await expect(joining).resolves.toBeDefined()

    const { initPrivateKey, hpkePrivateKey, signaturePrivateKey } = held.privatePackage
    const secret = encodeFields(initPrivateKey, hpkePrivateKey, signaturePrivateKey)
    const welcome = wire({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
    const keyPackage = wire({ version: 'mls10', wireformat: 'mls_key_package', keyPackage: held.publicPackage })
    await expect(joinByWelcome({ welcome, keyPackage, secret, accounts })).rejects.toMatchObject({ code: 'mls' })
  })

  test('A device that cannot do what the room does is not added', async () => {
    const { alice, alice2 } = await room()
    const { leafSeed, leafKey, credential } = await newBrowser(alice.browser.identity)
    const keys = { signKey: leafSeed, publicKey: leafKey }
    const lame = { ...capabilities(), ciphersuites: [] }
    const lifetime = { notBefore: 0n, notAfter: 2n ** 40n }
    const basic = { credentialType: 'basic' as const, identity: credential }
    const { publicPackage } = await generateKeyPackageWithKey(basic, lame, lifetime, [], keys, cs)
    const keyPackage = wire({ version: 'mls10', wireformat: 'mls_key_package', keyPackage: publicPackage })
    const naively = await naivelyTake(
      naive(alice2.group),
      await forge(alice, [{ proposalType: 'add', add: { keyPackage: publicPackage } }]),
    )
    expect(naively).toMatchObject({ actionTaken: 'accept' })
    await untouched(alice, () => alice.changes([], [keyPackage]), { code: 'mls' })
    const commit = await forge(alice, [{ proposalType: 'add', add: { keyPackage: publicPackage } }])
    await untouched(alice2, () => alice2.takes(commit), { code: 'mls' })
  })

  test('A key package that the server changed is not used', async () => {
    const { alice, bob, house } = await room()
    const browser = await newBrowser(alice.browser.identity)
    const [one, other] = [
      parsed((await makeKeyPackage(browser, false, now)).keyPackage),
      parsed((await makeKeyPackage(browser, false, now)).keyPackage),
    ]
    if (one.wireformat !== 'mls_key_package' || other.wireformat !== 'mls_key_package') throw new Error('No key packages')
    const swapped = wire({ ...one, keyPackage: { ...one.keyPackage, initKey: other.keyPackage.initKey } })
    await untouched(alice, () => alice.changes([], [swapped]), { code: 'mls' })

    const { groupId, accounts } = house
    const creating = (keyPackage: Uint8Array) =>
      createRoomGroup({ device: bob.browser, groupId, keyPackages: [keyPackage], authData: none, accounts, now })
    await expect(creating(swapped)).rejects.toMatchObject({ code: 'mls' })
    await expect(creating((await makeKeyPackage(await newBrowser(), false, now)).keyPackage)).rejects.toMatchObject({
      code: 'mls',
    })
    const { leafSeed, leafKey } = await newBrowser()
    const stolen = { ...browser, leafSeed, leafKey }
    await expect(creating((await makeKeyPackage(stolen, false, now)).keyPackage)).rejects.toMatchObject({ code: 'mls' })
    // The library's createGroup alone does not check the key package.
    const { publicPackage, privatePackage } = await keyPackageOf(stolen)
    await expect(createGroup(groupId, publicPackage, privatePackage, [], cs, configOf(accounts))).resolves.toBeDefined()
  })
})
