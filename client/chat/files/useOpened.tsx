import { CircleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { lookOf, nameOf } from './fileWords.ts'
import { type Held, openedStore } from './openedFiles.ts'
import { keepOpen, saveHeld, showHeld } from './openFile.ts'

interface Opened {
  url: string | undefined
  failure: string | undefined
  /** The file is here, and is not shown. It can be saved. */
  isRefused: boolean
  part: number | undefined
}

/** Returns an object URL or the failure, with one toast, also for several files. */
export function useOpened(held: Held, isWanted: boolean): Opened {
  const env = useEnv()
  const { object } = held.file
  const url = useStore(openedStore, ({ urls }) => urls.get(object)?.url)
  const part = useStore(openedStore, ({ parts }) => parts[object])
  const [failure, setFailure] = useState<string>()
  const [isRefused, setRefused] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the object is the file
  useEffect(() => (isWanted ? keepOpen(held) : undefined), [object, isWanted])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the object is the file
  useEffect(() => {
    if (!isWanted || url) return
    let isShown = true
    setFailure(undefined)
    showHeld(env, held).catch((error: unknown) => {
      if (!isShown) return
      const isUnfit = error instanceof RangeError
      const words = isUnfit ? error.message : failureWords(error)
      setRefused(isUnfit)
      setFailure(words)
      showToast({ tone: 'bad', title: notThere(held), text: words, many: FILES })
    })
    return () => {
      isShown = false
    }
  }, [env, object, isWanted, url])
  return { url, failure, isRefused, part }
}

const FILES = {
  kind: 'files',
  words: (count: number) => ({ title: `${count} files not available`, text: 'Each says why in the chat.' }),
}

/** "Image not available: beach.jpg" */
export function notThere({ file }: Held): string {
  const kind = lookOf(file) === 'picture' ? 'Image' : 'File'
  const name = nameOf(file.name)
  return name ? `${kind} not available: ${name}` : `${kind} not available`
}

interface NotThereProps {
  held: Held
  failure: string
  /** A refused file has nothing to try again. */
  isRefused?: boolean
  onRetry: () => void
}

export function NotThere({ held, failure, isRefused = false, onRetry }: NotThereProps) {
  const env = useEnv()
  async function save() {
    await saveHeld(env, held).catch((error: unknown) =>
      showToast({ tone: 'bad', title: notThere(held), text: failureWords(error) }),
    )
  }
  return (
    <div className="att-failed" role="alert">
      <CircleAlert className="i" aria-hidden />
      <div>
        <b>
          <bdi>{notThere(held)}</bdi>
        </b>
        <span>{failure}</span>
        <button type="button" className="linkish" onClick={() => (isRefused ? void save() : onRetry())}>
          {isRefused ? 'Save' : 'Try again'}
        </button>
      </div>
    </div>
  )
}
