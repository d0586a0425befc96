import { Download, TriangleAlert } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../../contract/account/account.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import type { ExportProgress, ExportResult } from './export.ts'
import './export.css'

/** Settings that export everything this browser can read as one file. */
export function ExportSettings({ user }: { user: User }) {
  const env = useEnv()
  const kept = useStore(roomsStore, ({ rooms }) => [...rooms.values()].filter(({ lock }) => lock !== 'none').length)
  const root = useRef<HTMLDivElement>(null)
  const running = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState<ExportProgress>()
  const [result, setResult] = useState<ExportResult>()
  const [hasFiles, setHasFiles] = useState(true)
  useEffect(() => () => running.current?.abort(), [])

  async function start() {
    const run = new AbortController()
    running.current = run
    setResult(undefined)
    setProgress({ chatsDone: 0, chats: 0, messages: 0, files: 0, name: '' })
    try {
      // Few people ever export, so the code that makes the archive is loaded on demand.
      const [{ exportAccount }, { pageFonts }] = await Promise.all([import('./export.ts'), import('./pageFonts.ts')])
      const made = await exportAccount(env, user, {
        rooms: await refreshRooms(env),
        hasFiles,
        fonts: await pageFonts(),
        onProgress: (now) => run.signal.aborted || setProgress(now),
        signal: run.signal,
      })
      if (run.signal.aborted) return
      save(made)
      setResult(made)
    } catch (error) {
      if (!run.signal.aborted)
        showToast({ tone: 'bad', title: 'The export stopped', text: `${failureWords(error)} Nothing was saved.` })
    } finally {
      if (!run.signal.aborted) end()
    }
  }

  function end() {
    setProgress(undefined)
    // The focused button is gone. If the focus has not moved elsewhere, it goes to the next button.
    requestAnimationFrame(() => document.activeElement === document.body && root.current?.querySelector('button')?.focus())
  }

  function cancel() {
    running.current?.abort()
    end()
  }

  return (
    <div ref={root} className="stack">
      <Note icon={TriangleAlert}>
        <strong>It leaves as plain text:</strong> every chat that this browser can read, with names, addresses, times and files.
        Whoever has the file can read it.
        {kept > 0 && ` ${counted(kept, 'chat')} with a password ${kept === 1 ? 'is' : 'are'} left out.`}
      </Note>
      {progress ? (
        <Running progress={progress} onCancel={cancel} />
      ) : (
        <>
          <label className="export-files">
            <input type="checkbox" checked={hasFiles} onChange={(event) => setHasFiles(event.target.checked)} />
            With photos, videos and documents
          </label>
          <div className="acts">
            <button type="button" className="btn outline" onClick={start}>
              <Download className="i i-16" aria-hidden />
              Export everything
            </button>
          </div>
        </>
      )}
      <div role="status" className="export-outcome">
        {result && <Done result={result} />}
      </div>
    </div>
  )
}

function Running({ progress, onCancel }: { progress: ExportProgress; onCancel: () => void }) {
  const { chatsDone, chats, messages, files, name } = progress
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  return (
    <div className="stack tight">
      <progress className="progress" aria-label="Export" value={chatsDone} max={chats || 1} />
      <p className="small t2">
        {chats === 0
          ? 'Reading your contacts.'
          : `${chatsDone} of ${counted(chats, 'chat')}, ${counted(messages, 'message')}${files > 0 ? `, ${counted(files, 'file')}` : ''}`}
        {name && (
          <>
            {' '}
            · <bdi>{name}</bdi>
          </>
        )}
        <br />
        Leaving this page stops the export.
      </p>
      <div className="acts">
        <button ref={button} type="button" className="btn outline" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </div>
  )
}

function Done({ result }: { result: ExportResult }) {
  const { chats, messages, unreadable, files, missingFiles, fileName } = result
  return (
    <p className="small">
      {counted(messages, 'message')} of {counted(chats, 'chat')}
      {files > 0 && ` and ${counted(files, 'file')}`} went to your browser’s downloads as <span className="mono">{fileName}</span>
      .{unreadable > 0 && ` ${unreadable} could not be read here; the archive says which.`}
      {missingFiles > 0 &&
        ` ${counted(missingFiles, 'file')} could not be had; the archive names ${missingFiles === 1 ? 'it' : 'them'} and why.`}{' '}
      <button type="button" className="linkish" onClick={() => save(result)}>
        Save it again
      </button>
    </p>
  )
}

const counted = (count: number, word: string) => `${count.toLocaleString('en-US')} ${word}${count === 1 ? '' : 's'}`

function save({ archive, fileName }: ExportResult): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(archive)
  link.download = fileName
  link.click()
  // The browser reads the blob address a moment after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
