import { CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { lookOf, nameOf } from './fileWords.ts'
import { type Held, openedStore } from './openedFiles.ts'
import { showHeld } from './openFile.ts'

/** Returns an object URL or the failure, with one toast. */
export function useOpened(
  held: Held,
  isWanted: boolean,
): { url: string | undefined; failure: string | undefined; part: number | undefined } {
  const env = useEnv()
  const { object } = held.file
  const url = useStore(openedStore, ({ urls }) => urls.get(object)?.url)
  const part = useStore(openedStore, ({ parts }) => parts[object])
  const [failure, setFailure] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the object is the file
  useEffect(() => {
    if (!isWanted || url) return
    let isShown = true
    setFailure(undefined)
    showHeld(env, held).catch((error: unknown) => {
      if (!isShown) return
      const words = error instanceof RangeError ? error.message : failureWords(error)
      setFailure(words)
      showToast({ tone: 'bad', title: notThere(held), text: words })
    })
    return () => {
      isShown = false
    }
  }, [env, object, isWanted, url])
  return { url, failure, part }
}

/** "Image not available: beach.jpg" */
export function notThere({ file }: Held): string {
  const kind = lookOf(file) === 'picture' ? 'Image' : 'File'
  const name = nameOf(file.name)
  return name ? `${kind} not available: ${name}` : `${kind} not available`
}

export function NotThere({ held, failure, onRetry }: { held: Held; failure: string; onRetry: () => void }) {
  return (
    <div className="att-failed" role="alert">
      <CircleAlert className="i" aria-hidden />
      <div>
        <b>
          <bdi>{notThere(held)}</bdi>
        </b>
        <span>{failure}</span>
        <button type="button" className="linkish" onClick={onRetry}>
          Try again
        </button>
      </div>
    </div>
  )
}
