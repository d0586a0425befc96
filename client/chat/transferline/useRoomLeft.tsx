import { useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import type { RoomLeft } from './dialogWords.ts'

/** What this browser can still keep; read anew when `occasion` changes. undefined until it is known. */
export function useRoomLeft(occasion: number): RoomLeft | undefined {
  const env = useEnv()
  const [left, setLeft] = useState<RoomLeft>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each occasion reads anew
  useEffect(() => {
    let isShown = true
    const read = async () => {
      const [{ isOnDisk }, estimate] = await Promise.all([env.crypto.keptFiles(), navigator.storage?.estimate?.()])
      const { quota, usage } = estimate ?? {}
      return { isOnDisk, freeBytes: quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage) }
    }
    // Without it the dialog says less; what does not fit is refused by name.
    read().then(
      (now) => isShown && setLeft(now),
      () => undefined,
    )
    return () => {
      isShown = false
    }
  }, [env, occasion])
  return left
}
