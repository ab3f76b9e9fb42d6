// The connection to the daemon, through the map server: lines of its protocol in, requests out. See handlebar-protocol(7).

/** Longest silence of the daemon before it is asked for an answer, and before it is reported; milliseconds. */
const askAfter = 2000
const silentAfter = 4000
/** Longest time without a heartbeat of the server before the connection is given up, milliseconds. */
const giveUpAfter = 5000
/** First and longest wait before connecting again, milliseconds. */
const firstWait = 250
const longestWait = 3000

export class Daemon {
  #socket
  #wait = firstWait
  #heard = 0
  #serverHeard = 0
  #isSilent = false
  #reason = ''
  #timer

  /** `probe` is the request that every daemon answers. Calls `onOpen()`, `onLine(line)`, `onLost(reason)`,
      `onHeartbeat(line)` with each line of the server, and `onSilence(isSilent)` when the daemon stops answering while the
      server does not, and when it answers again. */
  constructor(probe, calls) {
    Object.assign(this, { probe, ...calls })
    this.#connect()
    setInterval(() => this.#check(), 1000)
    // Waiting is for servers that are down; a phone that wakes up need not wait.
    addEventListener('online', () => this.#retry())
    document.addEventListener('visibilitychange', () => document.hidden || this.#retry())
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Sends `?NAME;` or `?NAME={…};`; false without a connection. */
  send(name, fields) {
    if (!this.isOpen) return false
    this.#socket.send(fields ? `?${name}=${JSON.stringify(fields)};\n` : `?${name};\n`)
    return true
  }

  #connect() {
    clearTimeout(this.#timer)
    const socket = new WebSocket(`ws://${location.host}/viewer`)
    this.#socket = socket
    this.#heard = this.#serverHeard = performance.now()
    this.#isSilent = false
    this.#reason = ''
    let isGreeted = false
    socket.onmessage = (message) => {
      if (socket !== this.#socket) return
      this.#serverHeard = performance.now()
      for (const text of message.data.split('\n')) {
        if (text.length < 2) continue
        const line = JSON.parse(text)
        // The server's own; all others are the daemon's.
        if (line.class === 'HEARTBEAT') {
          this.onHeartbeat(line)
          continue
        }
        this.#heard = this.#serverHeard
        this.#silence(false)
        if (line.class === 'VERSION' && !isGreeted) {
          isGreeted = true
          this.#wait = firstWait
          this.onOpen()
        } else if (line.class === 'ERROR' && !line.request) this.#reason = line.message
        this.onLine(line)
      }
    }
    socket.onclose = () => socket === this.#socket && this.#lose()
  }

  #lose() {
    this.#socket = undefined
    this.onLost(this.#reason)
    this.#timer = setTimeout(() => this.#connect(), this.#wait * (0.75 + Math.random() / 2))
    this.#wait = Math.min(2 * this.#wait, longestWait)
  }

  #retry() {
    if (this.#socket) return
    this.#wait = firstWait
    this.#connect()
  }

  #check() {
    if (!this.#socket) return
    const now = performance.now()
    if (now - this.#serverHeard > giveUpAfter) {
      const socket = this.#socket
      this.#reason = 'the map server does not answer'
      this.#lose()
      socket.close()
      return
    }
    const silence = now - this.#heard
    if (silence > askAfter) this.send(...this.probe)
    if (silence > silentAfter) this.#silence(true)
  }

  #silence(isSilent) {
    if (isSilent === this.#isSilent) return
    this.#isSilent = isSilent
    this.onSilence(isSilent)
  }
}
