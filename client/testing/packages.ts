import type { AccountKeys } from '../../contract/account/devices.ts'
import { keyPackagesApi } from '../../contract/account/keypackages.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import { membersOfDirectRoom } from '../../contract/ground/shapes.ts'
import { accountIn, type ServerState, type Verb } from './state.ts'

/** The endpoints of key packages, according to the contract. */
export function packageVerbs(state: ServerState): Verb[] {
  const { accounts } = state
  /** The claimed packages, by claimant and room. */
  const claims = new Map<string, string>()

  function claim({ chatRoomId, generation }: { chatRoomId: string; generation: number }, userId: string, deviceId: string) {
    const [one, other] = membersOfDirectRoom(chatRoomId)
    // Own browsers come into the notes from outside.
    if (one === other) return { packages: [] }
    const packages = [one, other].flatMap((member) => {
      const account = accounts.get(member)
      const devices = new Set(account?.packages.map((one) => one.deviceId))
      devices.delete(deviceId)
      return [...devices].map((id) => {
        const name = [chatRoomId, generation, userId, id].join()
        const free = account?.packages.find(
          (one) => one.deviceId === id && !one.isLastResort && ![...claims.values()].includes(one.keyPackage),
        )
        const keyPackage =
          claims.get(name) ?? free?.keyPackage ?? account?.packages.find((one) => one.deviceId === id)?.keyPackage ?? ''
        claims.set(name, keyPackage)
        return { userId: member, deviceId: id, keyPackage }
      })
    })
    return { packages }
  }

  const packagesOf = (userId: string, deviceId: string) =>
    accountIn(state, userId).packages.filter((one) => one.deviceId === deviceId)

  function left(userId: string, deviceId: string) {
    const claimed = new Set(claims.values())
    const own = packagesOf(userId, deviceId)
    const oneTime = own.filter(({ keyPackage, isLastResort }) => !isLastResort && !claimed.has(keyPackage)).length
    return { oneTime, hasLastResort: own.some(({ isLastResort }) => isLastResort) }
  }

  function add(userId: string, deviceId: string, { oneTime, lastResort }: AccountKeys['keyPackages']): object {
    const { packages } = accountIn(state, userId)
    packages.push(...oneTime.map((keyPackage) => ({ deviceId, keyPackage, isLastResort: false })))
    if (lastResort) packages.push({ deviceId, keyPackage: lastResort, isLastResort: true })
    return {}
  }

  return [
    [
      roomsApi.claimKeyPackages,
      (input: { chatRoomId: string; generation: number }, userId, deviceId) => claim(input, userId, deviceId),
    ],
    [keyPackagesApi.left, (_, userId, deviceId) => left(userId, deviceId)],
    [keyPackagesApi.add, (input: AccountKeys['keyPackages'], userId, deviceId) => add(userId, deviceId, input)],
  ]
}
