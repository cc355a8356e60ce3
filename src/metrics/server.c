// SPDX-License-Identifier: GPL-2.0-only
/*
 * libevent's evhttp bounds the size of a request and how long a connection may be idle, but neither
 * how many connections there are nor how long one may take with a byte now and then. Both are seen
 * to here: evhttp asks for the bufferevent of each connection, and of what it gets a reference is
 * kept. It does not tell when it closes one, but that can be seen: it takes its callbacks away.
 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

#include "accepted_format.h"
#include "page.h"
#include "stop_signal.h"
#include "version.h"

/*
 * A connection is for one request. If there are more, the oldest has to go: it had the most time,
 * and so many that do nothing do not keep others from being served.
 */
#define MAX_CONNECTIONS 32
#define MAX_SECONDS	10
#define MAX_HEADER_SIZE 8192
#define MAX_BODY_SIZE	1024

/* "[ADDRESS]:PORT" */
#define ADDRESS_SIZE (INET6_ADDRSTRLEN + 9)

struct metrics_server {
	const struct log *log;
	struct metrics_collector *collector;
	struct event_base *base;
	struct evhttp *http;
	struct event *stop;
	struct connection *connections; /* oldest first */
	unsigned int nr_connections;	/* of them, those that were not hung up */
	char address[ADDRESS_SIZE];
};

struct connection {
	struct connection *next;
	struct metrics_server *server;
	struct bufferevent *bufferevent;
	struct event *deadline;
	bool is_hung_up;
};

/* ---- connections ------------------------------------------------------------------------- */

static bool is_closed(const struct connection *connection)
{
	bufferevent_data_cb on_read, on_write;
	bufferevent_event_cb on_event;
	void *context;

	bufferevent_getcb(connection->bufferevent, &on_read, &on_write, &on_event, &context);
	return !on_read && !on_write && !on_event;
}

/* As if the client had closed it: evhttp does the rest. */
static void hang_up(struct connection *connection)
{
	evutil_socket_t fd = bufferevent_getfd(connection->bufferevent);

	if (!is_closed(connection) && fd >= 0)
		shutdown(fd, SHUT_RDWR);
	if (!connection->is_hung_up)
		connection->server->nr_connections--;
	connection->is_hung_up = true;
}

/* Takes the connection out to which @link leads. */
static void forget_connection(struct metrics_server *server, struct connection **link)
{
	struct connection *connection = *link;

	*link = connection->next;
	if (!connection->is_hung_up)
		server->nr_connections--;
	if (connection->bufferevent)
		bufferevent_decref(connection->bufferevent);
	if (connection->deadline)
		event_free(connection->deadline);
	free(connection);
}

static void forget_closed(struct metrics_server *server)
{
	struct connection **link = &server->connections;

	while (*link)
		if (is_closed(*link))
			forget_connection(server, link);
		else
			link = &(*link)->next;
}

static void time_is_over(evutil_socket_t fd, short what, void *context)
{
	struct connection *connection = context;

	(void)fd;
	(void)what;
	hang_up(connection);
}

/* The link at the end of the list. */
static struct connection **make_room(struct metrics_server *server)
{
	struct connection **link = &server->connections;

	forget_closed(server);
	for (; *link; link = &(*link)->next)
		if (server->nr_connections >= MAX_CONNECTIONS && !(*link)->is_hung_up)
			hang_up(*link);
	return link;
}

/* Called by evhttp, which without memory makes a bufferevent itself. */
static struct bufferevent *add_connection(struct event_base *base, void *context)
{
	static const struct timeval seconds = { .tv_sec = MAX_SECONDS };
	struct metrics_server *server = context;
	struct connection **link = make_room(server);
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return NULL;
	connection->server = server;
	*link = connection;
	server->nr_connections++;
	/* Without BEV_OPT_CLOSE_ON_FREE it is evhttp that closes the socket, and not who is last.
	 */
	connection->bufferevent = bufferevent_socket_new(base, -1, 0);
	connection->deadline = event_new(base, -1, 0, time_is_over, connection);
	if (!connection->bufferevent || !connection->deadline ||
	    event_add(connection->deadline, &seconds)) {
		forget_connection(server, link);
		return NULL;
	}
	bufferevent_incref(connection->bufferevent);
	return connection->bufferevent;
}

/* ---- requests ---------------------------------------------------------------------------- */

static void reply(struct evhttp_request *request, int status, const char *reason, const char *type,
		  const char *body, size_t size)
{
	struct evkeyvalq *headers = evhttp_request_get_output_headers(request);
	struct evbuffer *buffer = evhttp_request_get_output_buffer(request);
	char length[24];

	snprintf(length, sizeof(length), "%zu", size);
	evhttp_add_header(headers, "Content-Type", type);
	evhttp_add_header(headers, "Content-Length", length);
	evhttp_add_header(headers, "Cache-Control", "no-store");
	evhttp_add_header(headers, "Connection", "close");
	if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD &&
	    evbuffer_add(buffer, body, size)) {
		evhttp_send_error(request, HTTP_SERVUNAVAIL, NULL);
		return;
	}
	evhttp_send_reply(request, status, reason, NULL);
}

static void reply_text(struct evhttp_request *request, int status, const char *reason,
		       const char *type, const char *text)
{
	reply(request, status, reason, type, text, strlen(text));
}

static void refuse(struct evhttp_request *request, int status, const char *reason)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %s\n", status, reason);
	reply_text(request, status, reason, "text/plain; charset=utf-8", text);
}

static void show_metrics(struct evhttp_request *request, struct metrics_server *server)
{
	struct evkeyvalq *headers = evhttp_request_get_input_headers(request);
	enum metrics_format format = accepted_format(evhttp_find_header(headers, "Accept"));
	size_t size;
	char *page;

	if (metrics_page__make(server->collector, format, &page, &size)) {
		refuse(request, HTTP_SERVUNAVAIL, "Out of memory");
		return;
	}
	reply(request, HTTP_OK, "OK", metrics_format__content_type(format), page, size);
	free(page);
}

static void show_landing_page(struct evhttp_request *request)
{
	reply_text(request, HTTP_OK, "OK", "text/html; charset=utf-8",
		   "<!DOCTYPE html>\n"
		   "<html lang=\"en\"><head><title>persist-bpf</title></head><body>\n"
		   "<h1>persist-bpf " PERSIST_BPF_VERSION "</h1>\n"
		   "<p>Persistent kernel events: <a href=\"/metrics\">metrics</a></p>\n"
		   "</body></html>\n");
}

static void answer(struct evhttp_request *request, void *context)
{
	const char *path = evhttp_uri_get_path(evhttp_request_get_evhttp_uri(request));
	enum evhttp_cmd_type command = evhttp_request_get_command(request);

	if (command != EVHTTP_REQ_GET && command != EVHTTP_REQ_HEAD) {
		evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "GET, HEAD");
		refuse(request, HTTP_BADMETHOD, "Method Not Allowed");
	} else if (path && !strcmp(path, "/metrics")) {
		show_metrics(request, context);
	} else if (!path || !strcmp(path, "/") || !*path) {
		show_landing_page(request);
	} else {
		refuse(request, HTTP_NOTFOUND, "Not Found");
	}
}

/* ---- listening --------------------------------------------------------------------------- */

/* Takes the port off: "127.0.0.1:9750", "[::1]:9750". Of an address without, the brackets tell. */
static bool split_address(const char *address, char *host, size_t size, uint16_t *port)
{
	const char *colon = strrchr(address, ':');
	unsigned long number;
	size_t len;
	char *end;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return false;
	number = strtoul(colon + 1, &end, 10);
	len = (size_t)(colon - address);
	if (*end || number > UINT16_MAX || len >= size)
		return false;
	memcpy(host, address, len);
	host[len] = '\0';
	*port = (uint16_t)number;
	return true;
}

static bool parse_address(const char *address, struct sockaddr_storage *storage, int *size)
{
	struct sockaddr_in *ipv4 = (void *)storage;
	struct sockaddr_in6 *ipv6 = (void *)storage;
	char host[ADDRESS_SIZE];
	uint16_t port;
	size_t len;

	memset(storage, 0, sizeof(*storage));
	if (!split_address(address, host, sizeof(host), &port))
		return false;
	len = strlen(host);
	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = '\0';
		ipv6->sin6_family = AF_INET6;
		ipv6->sin6_port = htons(port);
		*size = sizeof(*ipv6);
		return inet_pton(AF_INET6, host + 1, &ipv6->sin6_addr) == 1;
	}
	ipv4->sin_family = AF_INET;
	ipv4->sin_port = htons(port);
	*size = sizeof(*ipv4);
	return inet_pton(AF_INET, host, &ipv4->sin_addr) == 1;
}

/* Takes the address from the socket, since only that knows the port if none was asked for. */
static int name_socket(struct metrics_server *server, evutil_socket_t fd)
{
	struct sockaddr_storage storage;
	socklen_t size = sizeof(storage);
	const struct sockaddr_in *ipv4 = (const void *)&storage;
	const struct sockaddr_in6 *ipv6 = (const void *)&storage;
	bool is_ipv6;
	char host[INET6_ADDRSTRLEN];

	if (getsockname(fd, (struct sockaddr *)&storage, &size))
		return -errno;
	is_ipv6 = storage.ss_family == AF_INET6;
	if (!inet_ntop(storage.ss_family,
		       is_ipv6 ? (const void *)&ipv6->sin6_addr : &ipv4->sin_addr, host,
		       sizeof(host)))
		return -errno;
	snprintf(server->address, sizeof(server->address), is_ipv6 ? "[%s]:%u" : "%s:%u", host,
		 ntohs(is_ipv6 ? ipv6->sin6_port : ipv4->sin_port));
	return 0;
}

static int listen_at(struct metrics_server *server, const struct sockaddr_storage *address,
		     int size)
{
	struct evconnlistener *listener;

	errno = 0;
	listener = evconnlistener_new_bind(server->base, NULL, NULL,
					   LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC |
						   LEV_OPT_REUSEABLE,
					   MAX_CONNECTIONS, (const struct sockaddr *)address, size);
	if (!listener)
		return errno ? -errno : -ENOMEM;
	if (!evhttp_bind_listener(server->http, listener)) {
		evconnlistener_free(listener);
		return -ENOMEM;
	}
	return name_socket(server, evconnlistener_get_fd(listener));
}

static void stop(evutil_socket_t fd, short what, void *context)
{
	struct metrics_server *server = context;

	(void)fd;
	(void)what;
	event_base_loopbreak(server->base);
}

static int make_http(struct metrics_server *server)
{
	server->base = event_base_new();
	if (!server->base)
		return -ENOMEM;
	server->http = evhttp_new(server->base);
	if (!server->http)
		return -ENOMEM;
	evhttp_set_bevcb(server->http, add_connection, server);
	evhttp_set_timeout(server->http, MAX_SECONDS);
	evhttp_set_max_headers_size(server->http, MAX_HEADER_SIZE);
	evhttp_set_max_body_size(server->http, MAX_BODY_SIZE);
	/* All that it knows, so that it is answered what is allowed. */
	evhttp_set_allowed_methods(
		server->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT |
				      EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE |
				      EVHTTP_REQ_CONNECT | EVHTTP_REQ_PATCH);
	evhttp_set_gencb(server->http, answer, server);
	return 0;
}

static int catch_signals(struct metrics_server *server)
{
	int err = stop_signal__catch();

	if (err)
		return err;
	/* A client that is gone is found out by the error of the write. */
	signal(SIGPIPE, SIG_IGN);
	server->stop = event_new(server->base, stop_signal__fd(), EV_READ, stop, server);
	return server->stop && !event_add(server->stop, NULL) ? 0 : -ENOMEM;
}

int metrics_server__new(const char *address, struct metrics_collector *collector,
			const struct log *log, struct metrics_server **result)
{
	struct metrics_server *server;
	struct sockaddr_storage storage;
	int size, err;

	*result = NULL;
	if (!parse_address(address, &storage, &size)) {
		log_error(
			log,
			"%s: not an address with a port; such as 127.0.0.1:9750, [::1]:9750, or for "
			"all of this machine 0.0.0.0:9750 or [::]:9750",
			address);
		return -EINVAL;
	}
	server = calloc(1, sizeof(*server));
	if (!server)
		return -ENOMEM;
	server->log = log;
	server->collector = collector;
	err = make_http(server);
	if (!err)
		err = catch_signals(server);
	if (!err)
		err = listen_at(server, &storage, size);
	if (err) {
		log_error(log, "%s: cannot listen: %s%s", address, strerror(-err),
			  err == -EADDRINUSE ? "; end what listens there, or choose another port"
			  : err == -EADDRNOTAVAIL ? "; choose an address of this machine"
			  : err == -EACCES	  ? "; choose a port from 1024 on"
						  : "");
		metrics_server__free(server);
		return err;
	}
	*result = server;
	return 0;
}

void metrics_server__free(struct metrics_server *server)
{
	if (!server)
		return;
	if (server->http)
		evhttp_free(server->http);
	while (server->connections)
		forget_connection(server, &server->connections);
	if (server->stop)
		event_free(server->stop);
	if (server->base)
		event_base_free(server->base);
	free(server);
}

const char *metrics_server__address(const struct metrics_server *server)
{
	return server->address;
}

int metrics_server__run(struct metrics_server *server)
{
	if (!event_base_dispatch(server->base))
		return 0;
	log_error(server->log, "%s: cannot go on serving: the event loop ended; start it again",
		  server->address);
	return -EIO;
}
