import type { AccountVerbs } from './account/accountkeys.ts'
import type { LockedMemory } from './account/unlock.ts'
import type { Live } from './keys/live.ts'
import type { OriginOf } from './keys/proof.ts'
import type { HeldWays } from './keys/ways.ts'
import { CryptoFailure } from './primitives/failure.ts'
import { loadHpke } from './primitives/loadHpke.ts'
import { loadPart } from './primitives/loadPart.ts'

/** What a verb takes once it is bound to the open account. */
type Rest<F> = F extends (live: Live, ...rest: infer R) => infer Result ? (...rest: R) => Result : never
type Verb = (live: Live, ...rest: never[]) => Promise<unknown>
/** Verbs of the open account by their names. */
type Table = Record<string, Verb>
type Bound<T> = { [V in keyof T]: Rest<T[V]> }

export type Binding = ReturnType<typeof bindTo>
export type CoreMemory = LockedMemory & { ways: HeldWays }

/** The ways in which the core binds its verbs to the worker's memory. */
export function bindTo(memory: CoreMemory, originOf: OriginOf) {
  const opened = (): Live => {
    if (!memory.live) throw new CryptoFailure('closed', 'The keys of this browser are closed')
    return memory.live
  }
  const shut = () => {
    memory.live?.dropCalls?.()
    memory.live?.vault.close()
    memory.live = undefined
  }
  const bind = <T extends Table>(table: T, bound: (verb: Verb) => unknown) =>
    Object.fromEntries(Object.entries(table).map(([name, verb]) => [name, bound(verb)])) as Bound<T>

  /** Verbs of what the vault keeps. */
  const on = <T extends Table>(table: T): Bound<T> =>
    bind(
      table,
      (verb) =>
        async (...rest: never[]) =>
          verb(opened(), ...rest),
    )

  /**
   * Verbs that may seal to a public key, or change a group. They wait for that code before they begin: in the middle of a commit a file
   * that does not load would look like a commit that does not hold, and cost the room's state.
   */
  const onSealing = <T extends Table>(table: T): Bound<T> =>
    bind(table, (verb) => async (...rest: never[]) => {
      await loadHpke()
      return verb(opened(), ...rest)
    })

  /** Verbs of a part that is loaded when one of them is first called. */
  const part = <Part extends object, V extends keyof Part & string>(loaded: () => Promise<Part>, ...names: V[]) => {
    const verbOf = (name: V): Verb => {
      return async (live, ...rest) => ((await loaded()) as unknown as Record<V, Verb>)[name](live, ...rest)
    }
    const table = Object.fromEntries(names.map((name) => [name, verbOf(name)]))
    return onSealing(table) as unknown as Bound<Pick<Part, V>>
  }

  let accountKeys: Promise<AccountVerbs> | undefined
  const loadAccountKeys = () => {
    accountKeys ??= Promise.all([loadPart(() => import('./account/accountkeys.ts')), loadHpke()]).then(
      ([{ accountVerbs }]) => accountVerbs(memory, originOf, shut),
      (error: unknown) => {
        accountKeys = undefined
        throw error
      },
    )
    return accountKeys
  }
  /** Verbs that need a way in. */
  const byWay = <V extends keyof AccountVerbs>(...names: V[]) => {
    const verbOf = (name: V) => {
      return async (...input: never[]) => {
        const verbs: Record<string, (...input: never[]) => Promise<unknown>> = await loadAccountKeys()
        return verbs[name]?.(...input)
      }
    }
    return Object.fromEntries(names.map((name) => [name, verbOf(name)])) as unknown as Pick<AccountVerbs, V>
  }
  /** The verbs above where one of them was called; undefined before: then no way in was entered. */
  const entered = async (): Promise<AccountVerbs | undefined> => accountKeys

  return { on, onSealing, part, byWay, entered, shut }
}
