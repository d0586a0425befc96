import { useEffect, useState } from 'react'

/**
 * Files that were dropped on the page or pasted, until they are taken. It belongs to the chat and not to the code that sends files,
 * which loads later. What it takes goes no further: of the rest app/Notices.tsx says that nothing takes it.
 */
export function useGiven() {
  const [files, setFiles] = useState<File[]>([])
  /** True while files are held over the page. */
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    function give(event: DragEvent | ClipboardEvent, data: DataTransfer | null) {
      if (!data?.types.includes('Files') || isCovered()) return
      event.preventDefault()
      if (event.type === 'dragover') return setOver(true)
      event.stopPropagation()
      const given = [...data.files]
      setFiles((before) => [...before, ...given])
    }
    const paste = (event: ClipboardEvent) => !isText(event.clipboardData) && give(event, event.clipboardData)
    const over = (event: DragEvent) => give(event, event.dataTransfer)
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false)
    const drop = (event: DragEvent) => {
      setOver(false)
      give(event, event.dataTransfer)
    }
    const end = new AbortController()
    document.addEventListener('paste', paste, end)
    document.addEventListener('dragover', over, end)
    document.addEventListener('dragleave', leave, end)
    document.addEventListener('drop', drop, end)
    return () => end.abort()
  }, [])
  return { files, isOver, taken: () => setFiles([]) }
}

/** True while a dialog that is not about these files is open. */
const isCovered = (): boolean => document.querySelector('[role=dialog]:not(:has(.att-send)), [role=alertdialog]') !== null

/**
 * True for text that an office program has copied with a picture of it: the text is what is pasted. A picture copied in a browser has no
 * plain text, and the name of a file that was copied from a folder is not formatted.
 */
const isText = (data: DataTransfer | null): boolean =>
  data?.types.includes('text/html') === true && data.getData('text/plain').trim() !== ''
