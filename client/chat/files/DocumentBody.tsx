import { Download } from 'lucide-react'
import { useState } from 'react'
import { useStore } from 'zustand'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { nameOf, sizeWords } from './fileWords.ts'
import { KindTile } from './KindTile.tsx'
import { type Held, openedStore } from './openedFiles.ts'
import { saveHeld } from './openFile.ts'
import { NotThere, notThere } from './useOpened.tsx'

export function DocumentBody({ held, isOut }: { held: Held; isOut: boolean }) {
  const env = useEnv()
  const part = useStore(openedStore, ({ parts }) => parts[held.file.object])
  const [failure, setFailure] = useState<string>()
  const name = nameOf(held.file.name) || 'Document'
  async function save() {
    setFailure(undefined)
    try {
      await saveHeld(env, held)
    } catch (error) {
      setFailure(failureWords(error))
      showToast({ tone: 'bad', title: notThere(held), text: failureWords(error) })
    }
  }
  if (failure) return <NotThere held={held} failure={failure} onRetry={() => void save()} />
  const content = (
    <>
      <KindTile name={name} />
      <span className="att-words">
        <b>
          <bdi>{name}</bdi>
        </b>
        <small>
          {sizeWords(held.file.sizeBytes)}
          {part !== undefined && ` · ${Math.round(part * 100)} %`}
        </small>
      </span>
    </>
  )
  if (isOut) return <div className="att-document">{content}</div>
  return (
    <button type="button" className="att-document" onClick={() => void save()}>
      <span className="sr">Save </span>
      {content}
      <Download className="i i-16" aria-hidden />
    </button>
  )
}
