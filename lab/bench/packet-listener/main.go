// Joins LiveKit rooms and takes the packets of every track without decoding them. LiveKit's Node SDK decodes each video
// track that it is subscribed to, whether or not it is watched: one listener takes 9.2 % of a core, this program 3.6 %.
// On two cores, eight listeners of the Node SDK would disturb what a benchmark measures. Without listeners the SFU would
// forward nothing, listeners that cannot decrypt ask for key frames again and again, and a WebRTC client in JavaScript
// costs about as much as decoding. Without a Go compiler the benchmark takes the Node SDK's listeners, and says so.
//
// Standard input has one JSON request a line, standard output one answer to each, in order:
//
//	{"join": "a", "url": "ws://…", "token": "…"}   {"ok": true}
//	  with "avatar": "…", "needs": "motion"        only the avatar's audio, and service.watch tells it so
//	{"leave": "a"}                                 {"ok": true}
//	{"report": true}                               {"a": {…}}, what arrived since the last report
//
// It ends when standard input does.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sync"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// A frame that arrives this long after the previous one is late.
const lateFrame = 80 * time.Millisecond

// The longest packet that a network carries, and some more.
const packetBytes = 2048

// As in shared/wire-names.ts.
const watchMethod = "service.watch"
const motionTopic = "service.motion"

// Between two calls of service.watch, while the avatar is not there yet.
const betweenCalls = 300 * time.Millisecond

type request struct {
	Join   string `json:"join"`
	Leave  string `json:"leave"`
	Report bool   `json:"report"`
	URL    string `json:"url"`
	Token  string `json:"token"`
	Avatar string `json:"avatar"`
	Needs  string `json:"needs"`
}

// What a listener received since the last report. Times are in ms.
type metrics struct {
	// Unix time of the first video packet ever; 0 before it.
	FirstFrameAtMs float64 `json:"first_frame_at_ms"`
	Frames         int     `json:"frames"`
	LateFrames     int     `json:"late_frames"`
	// From the first frame of the report to the last.
	SpanMs         float64 `json:"span_ms"`
	LongestGapMs   float64 `json:"longest_frame_gap_ms"`
	AudioPackets   int     `json:"audio_packets"`
	LongestAudioMs float64 `json:"longest_audio_gap_ms"`
	MotionPackets  int     `json:"motion_packets"`
	// Of audio and motion since the last report, below UDP: payload of RTP and of the data channels, with what
	// encrypts them, and reports of the sender.
	ReceivedBytes uint64 `json:"received_bytes"`
	// What the avatar's answer says; empty before it.
	Renders string `json:"renders"`
}

type listener struct {
	mutex      sync.Mutex
	room       *lksdk.Room
	metrics    metrics
	firstFrame time.Time
	lastFrame  time.Time
	lastAudio  time.Time
	timestamp  uint32
	// Of all reports before.
	reportedBytes uint64
	hasLeft       chan struct{}
}

func main() {
	listeners := map[string]*listener{}
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			answers.Encode(map[string]string{"error": err.Error()})
			continue
		}
		switch {
		case asked.Join != "":
			joined, err := join(asked)
			if err != nil {
				answers.Encode(map[string]string{"error": err.Error()})
				continue
			}
			listeners[asked.Join] = joined
			answers.Encode(map[string]bool{"ok": true})
		case asked.Leave != "":
			if left := listeners[asked.Leave]; left != nil {
				close(left.hasLeft)
				left.room.Disconnect()
				delete(listeners, asked.Leave)
			}
			answers.Encode(map[string]bool{"ok": true})
		default:
			report := map[string]metrics{}
			for id, each := range listeners {
				report[id] = each.takeMetrics()
			}
			answers.Encode(report)
		}
	}
}

func join(asked request) (*listener, error) {
	joined := &listener{hasLeft: make(chan struct{})}
	callback := lksdk.NewRoomCallback()
	callback.OnTrackSubscribed = func(track *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, _ *lksdk.RemoteParticipant) {
		joined.take(track)
	}
	callback.OnDataPacket = func(data lksdk.DataPacket, _ lksdk.DataReceiveParams) {
		if packet, isUser := data.(*lksdk.UserDataPacket); isUser && packet.Topic == motionTopic {
			joined.mutex.Lock()
			joined.metrics.MotionPackets++
			joined.mutex.Unlock()
		}
	}
	takesVideo := asked.Needs == ""
	if !takesVideo {
		callback.OnTrackPublished = func(publication *lksdk.RemoteTrackPublication, participant *lksdk.RemoteParticipant) {
			if publication.Kind() == lksdk.TrackKindAudio && participant.Identity() == asked.Avatar {
				publication.SetSubscribed(true)
			}
		}
	}
	room, err := lksdk.ConnectToRoomWithToken(asked.URL, asked.Token, callback, lksdk.WithAutoSubscribe(takesVideo))
	if err != nil {
		return nil, err
	}
	joined.room = room
	if !takesVideo {
		go joined.tell(asked)
	}
	return joined, nil
}

// Calls service.watch until the avatar answers that it does what is needed.
func (l *listener) tell(asked request) {
	payload, _ := json.Marshal(map[string]string{"needs": asked.Needs})
	for {
		answer, err := l.room.LocalParticipant.PerformRpc(lksdk.PerformRpcParams{
			DestinationIdentity: asked.Avatar,
			Method:              watchMethod,
			Payload:             string(payload),
		})
		var reply struct {
			Renders string `json:"renders"`
		}
		if err == nil && json.Unmarshal([]byte(*answer), &reply) == nil && reply.Renders == asked.Needs {
			l.mutex.Lock()
			l.metrics.Renders = reply.Renders
			l.mutex.Unlock()
			return
		}
		select {
		case <-l.hasLeft:
			return
		case <-time.After(betweenCalls):
		}
	}
}

// Reads the packets of a track until it ends. The RTP timestamp, at bytes 4 to 7, is the same in all packets of a frame.
func (l *listener) take(track *webrtc.TrackRemote) {
	buffer := make([]byte, packetBytes)
	isVideo := track.Kind() == webrtc.RTPCodecTypeVideo
	for {
		length, _, err := track.Read(buffer)
		if err != nil {
			return
		}
		if length < 12 {
			continue
		}
		now := time.Now()
		timestamp := uint32(buffer[4])<<24 | uint32(buffer[5])<<16 | uint32(buffer[6])<<8 | uint32(buffer[7])
		l.mutex.Lock()
		if isVideo {
			l.countVideo(now, timestamp)
		} else {
			l.countAudio(now)
		}
		l.mutex.Unlock()
	}
}

func (l *listener) countVideo(now time.Time, timestamp uint32) {
	if timestamp == l.timestamp && !l.lastFrame.IsZero() {
		return
	}
	l.timestamp = timestamp
	if l.metrics.FirstFrameAtMs == 0 {
		l.metrics.FirstFrameAtMs = float64(now.UnixMicro()) / 1000
	}
	if l.metrics.Frames > 0 {
		gap := now.Sub(l.lastFrame)
		if gap > lateFrame {
			l.metrics.LateFrames++
		}
		l.metrics.LongestGapMs = max(l.metrics.LongestGapMs, milliseconds(gap))
		l.metrics.SpanMs = milliseconds(now.Sub(l.firstFrame))
	} else {
		l.firstFrame = now
	}
	l.metrics.Frames++
	l.lastFrame = now
}

func (l *listener) countAudio(now time.Time) {
	if l.metrics.AudioPackets > 0 {
		l.metrics.LongestAudioMs = max(l.metrics.LongestAudioMs, milliseconds(now.Sub(l.lastAudio)))
	}
	l.metrics.AudioPackets++
	l.lastAudio = now
}

func (l *listener) takeMetrics() metrics {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	taken := l.metrics
	l.metrics = metrics{FirstFrameAtMs: taken.FirstFrameAtMs, Renders: taken.Renders}
	received := l.receivedBytes()
	taken.ReceivedBytes = received - l.reportedBytes
	l.reportedBytes = received
	return taken
}

// Of the connection on which the server sends.
func (l *listener) receivedBytes() uint64 {
	connection := l.room.LocalParticipant.GetSubscriberPeerConnection()
	if connection == nil {
		return l.reportedBytes
	}
	for _, each := range connection.GetStats() {
		if transport, isTransport := each.(webrtc.TransportStats); isTransport {
			return transport.BytesReceived
		}
	}
	return l.reportedBytes
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration.Microseconds()) / 1000
}
