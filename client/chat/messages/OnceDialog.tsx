import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { onceName } from '../../../contract/chat/kinds/once.ts'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { useLatest } from '../../ui/useLatest.tsx'
import { openedStore } from '../files/openedFiles.ts'
import { OnceViewer } from '../once/OnceViewer.tsx'
import { type Opened, openOnce, type Step } from './openOnce.ts'
import type { BodyOf, ShownMessage } from './store.ts'

const STATES = {
  opening: 'Opening',
  waiting: 'Opening. What is closed now may be gone unseen.',
}

interface Props {
  room: Room
  message: ShownMessage
  body: BodyOf<'once'>
  onClose: () => void
}

/** Opens a message that opens once, and holds it until it is closed. */
export function OnceDialog({ room, message, body: { once }, onClose }: Props) {
  const env = useEnv()
  const [opened, setOpened] = useState<Opened>()
  const [step, setStep] = useState<Step>('fetching')
  const part = useStore(openedStore, ({ parts }) => parts[once.file?.object ?? '']) ?? 0
  const latest = useLatest({ room, message, onClose })
  useEffect(() => {
    const left = new AbortController()
    const { room, message } = latest.current
    openOnce(env, room, message, left.signal, setStep).then(
      (found) => !left.signal.aborted && setOpened(found),
      (error: unknown) => {
        if (left.signal.aborted) return
        showToast({ tone: 'bad', title: 'Not opened', text: failureWords(error) })
        latest.current.onClose()
      },
    )
    return () => left.abort(new DOMException('It was closed', 'AbortError'))
  }, [env, latest])
  return (
    <OnceViewer
      name={onceName(once)}
      opened={opened}
      state={step === 'fetching' ? `Opening, ${Math.round(part * 100)} %` : STATES[step]}
      onClose={onClose}
    />
  )
}
