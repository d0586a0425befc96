const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** "12.4 MB" */
export function bytesWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}
