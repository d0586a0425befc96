import { Download, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { User } from '../../contract/account.ts'
import { reloadContacts } from '../contacts/contacts.ts'
import { useEnv } from '../ui/env.tsx'
import { failureWords } from '../ui/failure.ts'
import { Note } from '../ui/Note.tsx'
import { showToast } from '../ui/toast.ts'
import type { ExportProgress, ExportResult } from './export.ts'

/** All that this account can read, as one file. */
export function ExportSettings({ user }: { user: User }) {
  const env = useEnv()
  const running = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState<ExportProgress>()
  const [result, setResult] = useState<ExportResult>()
  useEffect(() => () => running.current?.abort(), [])

  async function start() {
    const run = new AbortController()
    running.current = run
    setResult(undefined)
    setProgress({ chatsDone: 0, chats: 0, messages: 0, name: '' })
    try {
      // Few people ever export: what makes the archive arrives when it is asked for.
      const { exportAccount } = await import('./export.ts')
      const made = await exportAccount(env, user, {
        rows: await reloadContacts(env),
        tell: setProgress,
        signal: run.signal,
      })
      save(made)
      setResult(made)
    } catch (error) {
      if (!run.signal.aborted)
        showToast({ tone: 'bad', title: 'The export stopped', text: `${failureWords(error)} Nothing was saved.` })
    } finally {
      setProgress(undefined)
    }
  }

  return (
    <div className="stack">
      <Note icon={TriangleAlert}>
        The archive is not encrypted: whoever has the file can read it. It holds your conversations as JSON and as pages that any
        browser opens.
      </Note>
      {progress ? (
        <Running progress={progress} onCancel={() => running.current?.abort()} />
      ) : (
        <div className="acts">
          <button type="button" className="btn outline" onClick={start}>
            <Download className="i i-16" aria-hidden />
            Export everything
          </button>
        </div>
      )}
      {result && <Done result={result} />}
    </div>
  )
}

function Running({ progress, onCancel }: { progress: ExportProgress; onCancel: () => void }) {
  const { chatsDone, chats, messages, name } = progress
  return (
    <div className="stack">
      <progress className="progress" aria-label="Export" value={chatsDone} max={chats || 1} />
      <p className="small t2">
        {chatsDone} of {chats} conversations, {messages.toLocaleString('en-US')} messages
        {name && (
          <>
            {' '}
            · <bdi>{name}</bdi>
          </>
        )}
      </p>
      <div className="acts">
        <button type="button" className="btn outline" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  )
}

function Done({ result }: { result: ExportResult }) {
  const { chats, messages, unreadable, fileName } = result
  return (
    <div role="status" className="stack">
      <p className="small">
        Saved {messages.toLocaleString('en-US')} messages of {chats} conversations as <span className="mono">{fileName}</span>.
        {unreadable > 0 && ` ${unreadable} could not be read here; the archive says which.`}
      </p>
      <div className="acts">
        <button type="button" className="btn quiet" onClick={() => save(result)}>
          Save it again
        </button>
      </div>
    </div>
  )
}

function save({ archive, fileName }: ExportResult): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(archive)
  link.download = fileName
  link.click()
  // The browser reads the address a moment after the press.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
